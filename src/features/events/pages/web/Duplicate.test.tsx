import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { app, auth, here, open, press, type, until, useEmptyTab, writes } from '#test/render-app.tsx';
import { ada, failure, field, rowers, run, success } from '#test/render-page.tsx';
import { session } from '#web/first/session.ts';

useEmptyTab();

// Menus use a ResizeObserver, which jsdom lacks.
beforeEach(() =>
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  ),
);

beforeEach(() => {
  session.write(auth);
  Object.assign(app.responses, {
    'GET /api/v1/users': () => success(ada),
    'GET /api/v1/clubs/rowers': () => success(rowers),
    'GET /api/v1/events/other-run': () =>
      success({ ...run, id: 'other', slug: 'other-run', name: 'Other run' }),
  });
});

const title = async (text: string) => until(() => expect(field('Title').value).toBe(text));

const duplicate = async () => {
  await press('More actions');
  (await screen.findByRole('menuitem', { name: 'Duplicate' })).click();
};

test('duplicate: opens from the event, and its draft is separate from drafts of other new events [COPY-01 COPY-02]', async () => {
  await open('/app/rowers/new-event');
  await type(/^Title/, 'My draft');
  await app.router?.navigate('/app/events/tuesday-run');
  await duplicate();
  await title('Tuesday run');
  expect(here()).toBe('/app/clubs/rowers/new-event?from=tuesday-run');

  // On the same page, the copy of another event starts without this draft.
  await type(/^Title/, 'My copy');
  await app.router?.navigate('/app/clubs/rowers/new-event?from=other-run');
  await title('Other run');
  await app.router?.navigate('/app/clubs/rowers/new-event');
  await title('My draft');
  await app.router?.navigate(-2);
  await title('My copy');
  // The draft is also restored after a reload.
  await open();
  await title('My copy');
  expect(writes()).toEqual([]);
});

test('duplicate: can be opened by its URL alone, and shows an error if the event does not exist', async () => {
  await open('/app/clubs/rowers/new-event?from=tuesday-run');
  await title('Tuesday run');
  app.responses['GET /api/v1/events/gone'] = () => failure(404);
  await open('/app/clubs/rowers/new-event?from=gone');
  await screen.findByText("We couldn't load the event to duplicate");
});
