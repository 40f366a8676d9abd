import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { queries, queryClient } from '#web/queries.ts';
import {
  expectToast,
  failure,
  field,
  fill,
  news,
  press,
  renderPage,
  rowers,
  server,
  success,
} from '#test/render-page.tsx';
import EditUpdatePage from './EditUpdatePage.tsx';

const picture = (name: string) => ({ name, width: 1600, height: 900 });
const update = { ...news, pictures: [picture('one'), picture('two')] };

/** Whether the storage of the server is full. */
let isFull: boolean;
let uploaded: string[];
let sent: Blob[];

/** Uploads report progress, which needs XMLHttpRequest. */
class Upload extends EventTarget {
  upload = new EventTarget();
  status = 0;
  responseText = '';
  open = (method: string, url: string) => void uploaded.push(`${method} ${url}`);
  setRequestHeader = () => {};
  getAllResponseHeaders = () => 'content-type: application/json';
  send(file: Blob) {
    sent.push(file);
    const data = isFull ? null : picture(`new-${uploaded.length}`);
    const error = isFull ? 'storage_full' : null;
    Object.assign(this, { status: isFull ? 507 : 200, responseText: JSON.stringify({ data, error }) });
    this.dispatchEvent(new Event('load'));
  }
}

beforeEach(() => {
  [isFull, uploaded, sent] = [false, [], []];
  vi.stubGlobal('XMLHttpRequest', Upload);
  vi.stubGlobal('createImageBitmap', async (file: File) => {
    if (file.name === 'broken.png') throw new Error('broken');
    return { width: 4000, height: 3000, close() {} };
  });
  const canvas = HTMLCanvasElement.prototype;
  vi.spyOn(canvas, 'getContext').mockImplementation(() => ({ drawImage() {} }) as never);
  vi.spyOn(canvas, 'toBlob').mockImplementation(function (this: HTMLCanvasElement, done) {
    expect([this.width, this.height]).toEqual([1600, 1200]);
    done(new Blob(['picture'], { type: 'image/webp' }));
  });
});

const show = (id = update.id, club = rowers) =>
  renderPage(<EditUpdatePage />, {
    route: '/app/clubs/:slug/updates/:update/edit',
    path: `/app/clubs/rowers/updates/${id}/edit`,
    club,
    updates: [update, { ...news, id: 'id-of-foreign', creator_id: 'id-of-bob' }],
  });
const files = (...names: string[]) => names.map((name) => new File(['x'], name, { type: 'image/png' }));
const choose = (...names: string[]) =>
  userEvent.upload(
    document.querySelector<HTMLInputElement>('input[type=file]') as HTMLElement,
    files(...names),
  );
const shown = () =>
  screen.getAllByRole('img').map((image) => /media\/(.+)-1600/.exec(image.getAttribute('src') ?? '')?.[1]);

test('edit update: sends only what changed and returns to the list [UX-29]', async () => {
  const router = show();
  await fill('Content', 'It floats.');
  server.respond = () => success({ ...update, content: 'It floats.' });
  await press('Save Changes');
  await expectToast('Update saved', 'Your club members see the new version.');
  expect(server.sent).toEqual([
    { call: `PATCH /api/v1/updates/rowers/${update.id}`, body: { content: 'It floats.' } },
  ]);
  expect(router.state.location.pathname).toBe('/app/clubs/rowers/updates');
});

test.each(['id-of-foreign', 'id-of-nothing'])(
  'edit update: leads back to the list when a member opens the update %s [UX-29]',
  async (id) => {
    const router = show(id, { ...rowers, my_club_role: 0 });
    await waitFor(() => expect(router.state.location.pathname).toBe('/app/clubs/rowers/updates'));
    expect(screen.queryByRole('textbox')).toBeNull();
  },
);

test('edit update: pictures can be removed, are uploaded in the order chosen, and are saved with the update [UX-30]', async () => {
  show();
  await userEvent.click(screen.getByRole('button', { name: 'Remove picture 1' }));
  await choose('a.png', 'b.png');
  await waitFor(() => expect(shown()).toEqual(['two', 'new-1', 'new-2']));
  expect(uploaded).toEqual(Array(2).fill('POST /api/v1/updates/rowers/pictures'));
  await press('Save Changes');
  await waitFor(() => expect(server.sent[0]?.body).toEqual({ pictures: ['two', 'new-1', 'new-2'] }));
});

test('edit update: adds no more than four pictures and shows why [UX-30]', async () => {
  show();
  await choose('a.png', 'b.png', 'c.png');
  await waitFor(() => expect(shown()).toEqual(['one', 'two', 'new-1', 'new-2']));
  expect(screen.getByRole('alert').textContent).toBe("You can add up to 4 pictures. The rest weren't added.");
  expect(screen.queryByRole('button', { name: 'Add pictures' })).toBeNull();
});

test('edit update: a picture that cannot be read or uploaded leaves the text and the other pictures as they are [UX-30]', async () => {
  show();
  isFull = true;
  await fill('Content', 'Still here');
  await choose('full.png', 'broken.png');
  await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('broken.png'));
  expect(screen.getByRole('alert').textContent).toBe(
    "full.png wasn't added. Storage is full, so this wasn't saved." +
      "broken.png wasn't added. We couldn't read this image. Try a PNG, JPEG or WebP.",
  );
  expect([field('Content').value, shown()]).toEqual(['Still here', ['one', 'two']]);
});

test('edit update: a failed save keeps everything that was entered and shows the error in the form [UX-29]', async () => {
  show();
  await fill('Content', 'Not lost');
  server.respond = () => failure(503);
  await press('Save Changes');
  expect(await screen.findByText("Your update wasn't saved")).toBeDefined();
  act(
    () =>
      void queryClient.setQueryData(queries.updates('rowers').queryKey, [{ ...update, content: 'Other' }]),
  );
  expect(field('Content').value).toBe('Not lost');
});

test('pictures: sent as JPEG on white by a browser that cannot write WebP; 48 megapixels are scaled to the limit of the server [ROBUST-08]', async () => {
  const opened: { width: number; height: number }[] = [];
  vi.stubGlobal(
    'createImageBitmap',
    async (_: File, size?: { resizeWidth: number; resizeHeight: number }) => {
      const bitmap = { width: size?.resizeWidth ?? 8000, height: size?.resizeHeight ?? 6000, close: vi.fn() };
      opened.push(bitmap);
      return bitmap;
    },
  );
  const drawn: unknown[] = [];
  const canvas = HTMLCanvasElement.prototype;
  vi.spyOn(canvas, 'getContext').mockImplementation(
    () => ({ drawImage: (from: unknown) => drawn.push(from), fillRect: () => drawn.push('white') }) as never,
  );
  vi.spyOn(canvas, 'toBlob').mockImplementation((done, type) =>
    done(new Blob(['picture'], { type: type === 'image/jpeg' ? type : 'image/png' })),
  );
  show();
  await choose('photo.jpg');
  await waitFor(() => expect(sent.map(({ type }) => type)).toEqual(['image/jpeg']));
  expect(opened).toEqual([
    { width: 8000, height: 6000, close: expect.any(Function) },
    { width: 5163, height: 3872, close: expect.any(Function) },
  ]);
  expect(drawn).toEqual([opened[1], 'white', expect.any(HTMLCanvasElement)]);
});
