import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { expect, test, vi } from 'vitest';
import EditClubPage from '#features/clubs/web/EditClubPage.tsx';
import EditEventPage from '#features/events/pages/web/EditEventPage.tsx';
import EventPage from '#features/events/pages/web/EventPage.tsx';
import type { Series } from '#features/events/series/contract.ts';
import { versionOfBreaks } from '#features/events/series/form-rules.ts';
import BreaksPage from '#features/events/series/web/BreaksPage.tsx';
import EditUpdatePage from '#features/updates/web/EditUpdatePage.tsx';
import {
  card,
  failure,
  fill,
  news,
  press,
  renderPage,
  rowers,
  run,
  server,
  success,
} from '#test/render-page.tsx';
import { queries, queryClient } from '#web/queries.ts';
import { toasts } from '#ui/toast.ts';
import { weekly } from '#test/new-series.ts';

await Promise.all([
  import('#features/events/web/ChangeOfPlanDialog.tsx'),
  import('#features/events/series/web/SeriesScope.tsx'),
]);

type Fields = Record<string, unknown>;

/** A form for data that several people may edit, and how the fake server reads and saves the data. */
interface SharedForm {
  /** The file that calls the API for this form. `test/shared-forms.test.ts` reads it. */
  file: string;
  page: ReactElement;
  route: string;
  path: string;
  fields: Fields;
  /** The path of the page's GET request, its query, and its response. */
  get: string;
  query: { queryKey: readonly unknown[] };
  read: (fields: Fields, version: number) => unknown;
  version?: (fields: Fields) => number;
  /** The response to a write. */
  saved?: (fields: Fields) => unknown;
  open?: () => Promise<void>;
  type: () => Promise<void>;
  save: () => Promise<void>;
  /** The fields that `type` changes, and the fields that somebody else changes meanwhile. */
  mine: Fields;
  theirs: Fields;
  /** A text of `theirs` that the form shows. */
  shown: string;
  /** Somebody else's value for a field of `mine`, and how the form announces it. */
  same?: { theirs: Fields; announced: string };
}

const inForm = { route: '/app/events/edit/:slug', path: '/app/events/edit/tuesday-run' };
const ofRun = { name: run.name, location_name: run.location_name, start_time: run.start_time };
const regatta = { name: 'Regatta', first_on: '2099-06-06', last_on: '2099-06-06' };
const camp = { name: 'Camp', first_on: '2099-07-01', last_on: '2099-07-05' };
const picture = (name: string) => ({ name, width: 1600, height: 900 });

const runs = {
  slug: 'runs',
  freq: 'weekly',
  every: 1,
  weekdays: [1],
  month_day: null,
  nth: null,
  local_time: '18:30',
  minutes: 90,
  time_zone: 'UTC',
  starts_on: '2099-06-01',
  ends_on: null,
  count: null,
  events: [{ ...card, start_time: '2099-06-08T18:30:00.000Z' }],
  breaks: [],
} as Partial<Series> as Series;

const forms = {
  'edit club': {
    file: 'features/clubs/web/EditClubPage.tsx',
    page: <EditClubPage />,
    route: '/app/clubs/:slug/edit',
    path: '/app/clubs/rowers/edit',
    fields: { club_name: rowers.club_name, club_description: '', location_name: 'Pier 3' },
    get: '/v1/clubs/rowers',
    query: queries.club('rowers'),
    read: (fields, version) => ({ ...rowers, ...fields, version }),
    type: () => fill('Club Name', 'Rowers 1902'),
    save: () => press('Update Club'),
    mine: { club_name: 'Rowers 1902' },
    theirs: { location_name: 'Boathouse', club_description: 'We row.' },
    shown: 'Boathouse',
    same: { theirs: { club_name: 'Sea Rowers' }, announced: 'Club Name, as they saved it: Sea Rowers' },
  },
  'edit event': {
    file: 'features/events/pages/web/EditEventPage.tsx',
    page: <EditEventPage />,
    ...inForm,
    fields: ofRun,
    get: '/v1/events/tuesday-run',
    query: queries.event('tuesday-run'),
    read: (fields, version) => ({ ...run, ...fields, version }),
    saved: () => 'tuesday-run',
    type: () => fill('Title', 'Night run'),
    save: () => press('Update Event'),
    mine: { name: 'Night run' },
    theirs: { location_name: 'Boathouse' },
    shown: 'Boathouse',
    same: { theirs: { name: 'Dawn run' }, announced: 'Title, as they saved it: Dawn run' },
  },
  'edit event, its start': {
    file: 'features/events/pages/web/EditEventPage.tsx',
    page: <EditEventPage />,
    ...inForm,
    fields: { ...ofRun, end_time: run.end_time, entry_until_time: run.entry_until_time },
    get: '/v1/events/tuesday-run',
    query: queries.event('tuesday-run'),
    read: (fields, version) => ({ ...run, ...fields, version }),
    saved: () => 'tuesday-run',
    type: () => fill('Start', '9.6.2099 19:00'),
    save: () => press('Update Event'),
    mine: { start_time: '2099-06-09T19:00:00.000Z' },
    theirs: { location_name: 'Boathouse' },
    shown: 'Boathouse',
    same: {
      theirs: {
        start_time: '2099-06-10T18:30:00.000Z',
        end_time: '2099-06-10T20:00:00.000Z',
        entry_until_time: '2099-06-10T18:30:00.000Z',
      },
      announced: 'Start, as they saved it: Wednesday 10 June 2099, 6:30 pm',
    },
  },
  'edit series': {
    file: 'features/events/pages/web/EditEventPage.tsx',
    page: <EditEventPage />,
    ...inForm,
    fields: ofRun,
    get: '/v1/events/tuesday-run',
    query: queries.event('tuesday-run'),
    read: (fields, version) => ({
      ...run,
      series: { ...weekly, slug: 'runs', weekdays: [1] },
      series_version: version,
      slot_on: '2099-06-08',
      ...fields,
      version: 9,
    }),
    saved: () => ({ changed: 1, cancelled: 0 }),
    type: () => fill('Title', 'Night run'),
    async save() {
      // After a failure, the dialog is still open.
      if (!screen.queryByRole('dialog')) await press('Update Event');
      const dialog = within(await screen.findByRole('dialog'));
      await userEvent.click(dialog.getByRole('radio', { name: /^All coming/ }));
      await userEvent.click(dialog.getByRole('button', { name: 'Update Event' }));
    },
    mine: { name: 'Night run' },
    theirs: { location_name: 'Boathouse' },
    shown: 'Boathouse',
    same: { theirs: { name: 'Dawn run' }, announced: 'Title, as they saved it: Dawn run' },
  },
  'change of plan': {
    file: 'features/events/web/ChangeOfPlanDialog.tsx',
    page: <EventPage />,
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    fields: ofRun,
    get: '/v1/events/tuesday-run',
    query: queries.event('tuesday-run'),
    read: (fields, version) => ({ ...run, my_role: 'organiser', my_answer: 'going', ...fields, version }),
    saved: () => 'tuesday-run',
    async open() {
      await press('Change of plan');
      await userEvent.click(await screen.findByRole('radio', { name: 'New place' }));
    },
    type: () => fill('New place', 'Hall'),
    save: () => press('Send'),
    mine: { location_name: 'Hall' },
    theirs: { name: 'Dawn run' },
    shown: 'Dawn run',
    same: { theirs: { location_name: 'Boathouse' }, announced: 'New place, as they saved it: Boathouse' },
  },
  'edit update': {
    file: 'features/updates/web/useEditedPost.ts',
    page: <EditUpdatePage />,
    route: '/app/clubs/:slug/updates/:update/edit',
    path: `/app/clubs/rowers/updates/${news.id}/edit`,
    fields: { content: news.content, pictures: ['one'] },
    get: '/v1/updates/rowers',
    query: queries.updates('rowers'),
    read: ({ pictures, ...fields }, version) => [
      { ...news, ...fields, pictures: (pictures as string[]).map(picture), version },
    ],
    type: () => fill('Content', 'It floats.'),
    save: () => press('Save Changes'),
    mine: { content: 'It floats.' },
    theirs: { pictures: ['one', 'two'] },
    shown: 'Picture 2',
    same: { theirs: { content: 'It sinks.' }, announced: 'Content, as they saved it: It sinks.' },
  },
  'edit update, its pictures': {
    file: 'features/updates/web/useEditedPost.ts',
    page: <EditUpdatePage />,
    route: '/app/clubs/:slug/updates/:update/edit',
    path: `/app/clubs/rowers/updates/${news.id}/edit`,
    fields: { content: news.content, pictures: ['one', 'two'] },
    get: '/v1/updates/rowers',
    query: queries.updates('rowers'),
    read: ({ pictures, ...fields }, version) => [
      { ...news, ...fields, pictures: (pictures as string[]).map(picture), version },
    ],
    type: () => press('Remove picture 1'),
    save: () => press('Save Changes'),
    mine: { pictures: ['two'] },
    theirs: { content: 'It floats.' },
    shown: 'It floats.',
    same: { theirs: { pictures: ['two', 'three'] }, announced: 'Pictures, as they saved it: 2 pictures' },
  },
  breaks: {
    file: 'features/events/series/web/BreaksPage.tsx',
    page: <BreaksPage />,
    route: '/app/clubs/:slug/breaks',
    path: '/app/clubs/rowers/breaks',
    fields: { breaks: [] },
    get: '/v1/clubs/rowers/breaks',
    query: queries.breaks('rowers'),
    read: ({ breaks }) => breaks,
    version: ({ breaks }) => versionOfBreaks(breaks as []),
    saved: ({ breaks }) => ({ breaks, cancelled: 0 }),
    async type() {
      await fill('Name', camp.name);
      fireEvent.change(screen.getByLabelText(/^First day/), { target: { value: camp.first_on } });
      fireEvent.change(screen.getByLabelText(/^Last day/), { target: { value: camp.last_on } });
    },
    save: () => press('Add break'),
    mine: { breaks: [regatta, camp] },
    theirs: { breaks: [regatta] },
    shown: 'Regatta',
  },
} satisfies Record<string, SharedForm>;
const cases = Object.entries<SharedForm>(forms);

/** Fakes a server with the shared data, which compares versions like the real one. */
function serve(form: SharedForm) {
  const stored = { fields: form.fields, version: 7 };
  const version = () => form.version?.(stored.fields) ?? stored.version;
  const page = () => form.read(stored.fields, version());
  const change = (fields: Fields) => {
    const changed = Object.entries(fields).filter(([key]) => key in form.fields);
    Object.assign(stored, {
      fields: { ...stored.fields, ...Object.fromEntries(changed) },
      version: stored.version + 1,
    });
  };
  server.read = (path) => {
    if (path.endsWith('/v1/series/runs')) return success({ ...runs, version: version() });
    return path.endsWith(form.get) ? success(page()) : failure(404);
  };
  server.respond = (body, expected) => {
    if (expected !== null && expected !== `"${version()}"`)
      return Response.json({ data: null, status: 412, error: 'changed_meanwhile' }, { status: 412 });
    change(body as Fields);
    return success(form.saved?.(stored.fields) ?? {});
  };
  return { stored, page, change };
}

async function show(form: SharedForm, shared = serve(form)) {
  const { page, route, path, query } = form;
  queryClient.setQueryData(queries.series('runs').queryKey, runs);
  renderPage(page, { route, path, query, data: shared.page() });
  await form.open?.();
  return shared;
}

const notice = () => screen.findByText('Someone else just changed this');
/** The texts of the page, its fields and its pictures. */
const seen = () =>
  [
    document.body.textContent,
    ...[...document.querySelectorAll('input, textarea')].map((each) => (each as HTMLInputElement).value),
    ...[...document.querySelectorAll('img')].map(({ alt }) => alt),
  ].join('\n');
const openToast = () => toasts().find(({ open }) => open);

test.each(cases)('shared form: %s keeps what two people enter in different fields [C23]', async (_, form) => {
  const { stored, change } = await show(form);
  await form.type();
  change(form.theirs);
  await form.save();
  await notice();
  expect(seen()).toContain(form.shown);
  expect(openToast()).toBeUndefined();
  expect(stored.fields).toEqual({ ...form.fields, ...form.theirs });
  await form.save();
  await vi.waitFor(() => expect(stored.fields).toMatchObject({ ...form.theirs, ...form.mine }));
  await vi.waitFor(() => expect(screen.queryByText('Someone else just changed this')).toBeNull());
});

test.each(cases.filter(([, { same }]) => same))(
  'shared form: %s tells what somebody else entered in the same field, and saves with the next press [C23]',
  async (_, form) => {
    const { stored, change } = await show(form);
    await form.type();
    const typed = seen();
    change(form.same?.theirs ?? {});
    await form.save();
    await notice();
    const announced = screen.getByRole('list', { name: 'Changed by both of you' });
    expect(announced.textContent).toContain(form.same?.announced);
    for (const value of Object.values(form.mine))
      if (typeof value === 'string' && typed.includes(value)) expect(seen()).toContain(value);
    expect(stored.fields).toMatchObject(form.same?.theirs ?? {});
    await form.save();
    await vi.waitFor(() => expect(stored.fields).toMatchObject(form.mine));
  },
);

test.each(cases)(
  'shared form: %s keeps the input when newer data arrives, and shows that data before saving over it [C23]',
  async (_, form) => {
    const { stored, change, page } = await show(form);
    await form.type();
    change(form.same?.theirs ?? form.theirs);
    // The form gets newer data, as after a refetch.
    act(() => void queryClient.setQueryData(form.query.queryKey, page()));
    await form.save();
    await notice();
    expect(stored.fields).toMatchObject(form.same?.theirs ?? form.theirs);
    await form.save();
    await vi.waitFor(() => expect(stored.fields).toMatchObject(form.mine));
  },
);

test.each(cases)(
  'shared form: the draft of %s opens again and does not overwrite what somebody else has saved meanwhile [FORMUX-03 C23]',
  async (_, form) => {
    const shared = await show(form);
    await form.type();
    cleanup();
    shared.change(form.theirs);
    await show(form, shared);
    expect(screen.getByText(/^Your draft from/)).toBeDefined();
    await form.save();
    await notice();
    await form.save();
    await vi.waitFor(() => expect(shared.stored.fields).toMatchObject({ ...form.theirs, ...form.mine }));
    await vi.waitFor(() => expect(localStorage.getItem('drafts')).toBeNull());
  },
);

test.each(cases)(
  'shared form: %s shows newer data while nothing is entered, and then saves without a conflict [C23]',
  async (_, form) => {
    const { stored, change, page } = await show(form);
    change(form.theirs);
    act(() => void queryClient.setQueryData(form.query.queryKey, page()));
    await vi.waitFor(() => expect(seen()).toContain(form.shown));
    await form.type();
    await form.save();
    await vi.waitFor(() => expect(stored.fields).toMatchObject({ ...form.theirs, ...form.mine }));
    expect(screen.queryByText('Someone else just changed this')).toBeNull();
  },
);

test.each(cases)(
  'shared form: %s keeps the input when the newer version cannot be loaded [C23]',
  async (_, form) => {
    const { stored, change } = await show(form);
    await form.type();
    const typed = seen();
    change(form.theirs);
    const { read } = server;
    server.read = () => Response.json({ data: null, status: 503, error: 'unavailable' }, { status: 503 });
    await form.save();
    expect((await screen.findByText(/Your changes are still here/)).textContent).toContain('unavailable');
    for (const value of Object.values(form.mine))
      if (typeof value === 'string' && typed.includes(value)) expect(seen()).toContain(value);
    server.read = read;
    await form.save();
    await notice();
    await form.save();
    await vi.waitFor(() => expect(stored.fields).toMatchObject({ ...form.theirs, ...form.mine }));
  },
);
