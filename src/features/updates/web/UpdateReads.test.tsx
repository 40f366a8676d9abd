import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ada, failure, news, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import type { Club } from '#features/clubs/contract.ts';
import type { UpdateReaders } from '#features/updates/contract.ts';
import ClubPage from '#features/clubs/web/ClubPage.tsx';
import UpdatesPage from './UpdatesPage.tsx';

const important = { ...news, important: true, creator_id: 'id-of-bob' };
const member = { ...rowers, my_club_role: 0 as const, is_planner: false } as Club;
const read_at = '2026-06-23T18:30:00.000Z';
const readers: UpdateReaders = {
  read_count: 12,
  reader_count: 34,
  others: 22,
  reminders: 0,
  reminded_at: null,
  readers: [],
  more: null,
};
const bob = { id: 'id-of-bob', first_name: 'Bob', last_name: 'Lee', profile_picture_url: null };

const showList = (update = important, club = member) =>
  renderPage(<UpdatesPage />, {
    route: '/app/clubs/:slug/updates',
    path: '/app/clubs/rowers/updates',
    club,
    updates: [update],
  });

const showClub = (latest_update_read_at: string | null) =>
  renderPage(<ClubPage />, {
    route: '/app/clubs/:slug',
    path: '/app/clubs/rowers',
    club: { ...member, latest_update: important, latest_update_read_at },
  });
const reminderButton = () => screen.findByRole<HTMLButtonElement>('button', { name: 'Remind the 22 others' });

test("members see 'I have read this' under an important update, and after one press the day [READ-02]", async () => {
  showList();
  expect(screen.getByText('Important')).toBeDefined();
  expect(screen.getByText('Those who run Harbour Rowers see that you have.')).toBeDefined();
  server.respond = () => success({ my_read_at: read_at });
  await press('I have read this');
  expect(await screen.findByText('You read this on 23 Jun 2026')).toBeDefined();
  expect(server.sent[0]).toMatchObject({ call: 'POST /api/v1/updates/rowers/id-of-news/read' });
  expect(screen.queryByRole('button', { name: 'I have read this' })).toBeNull();
  cleanup();
  showList({ ...important, my_read_at: read_at });
  expect(screen.getByText('You read this on 23 Jun 2026')).toBeDefined();
});

test('neither its author nor members under an ordinary update see the button [READ-02]', async () => {
  showList({ ...important, creator_id: ada.id });
  expect(screen.queryByRole('button', { name: 'I have read this' })).toBeNull();
  cleanup();
  showList({ ...important, important: false });
  expect(screen.queryByText('Important')).toBeNull();
  expect(screen.queryByRole('button', { name: 'I have read this' })).toBeNull();
});

test('a failure is shown below the button, which can be pressed again [READ-02]', async () => {
  showList();
  server.respond = () => failure(503);
  await press('I have read this');
  expect((await screen.findByRole('alert')).textContent).not.toBe('');
  expect(screen.getByRole('button', { name: 'I have read this' })).toBeDefined();
});

test('the page of the club has the button and the day too [READ-02]', async () => {
  showClub(null);
  expect(screen.getByRole('button', { name: 'I have read this' })).toBeDefined();
  cleanup();
  showClub(read_at);
  expect(screen.getByText('You read this on 23 Jun 2026')).toBeDefined();
});

test("planners see '12 of 34 have read this', both lists and a reminder; the button is absent when everybody has read it [READ-04 READ-06]", async () => {
  const counted = { ...important, read_count: 12, reader_count: 34 };
  server.read = () => success({ ...readers, readers: [{ ...bob, read_at }] });
  showList(counted, rowers);
  await press('12 of 34 have read this');
  const dialog = within(await screen.findByRole('dialog', { name: 'Who has read this' }));
  expect((await dialog.findAllByText('Bob Lee')).length).toBe(2);
  expect(dialog.getByRole('heading', { name: 'Not read yet 22' })).toBeDefined();
  expect(dialog.getByRole('heading', { name: 'Read 12' })).toBeDefined();
  server.respond = () => success({ reminded: 22 });
  server.read = () => success({ ...readers, others: 0 });
  await press('Remind the 22 others');
  await waitFor(() =>
    expect(server.sent[0]).toMatchObject({ call: 'POST /api/v1/updates/rowers/id-of-news/remind' }),
  );
  await waitFor(() => expect(dialog.queryByRole('button', { name: /^Remind/ })).toBeNull());
});

test('the reminder says when it was last used and why it is disabled [READ-06]', async () => {
  const counted = { ...important, read_count: 12, reader_count: 34 };
  const reminded_at = new Date().toISOString();
  server.read = () => success({ ...readers, reminders: 1, reminded_at });
  showList(counted, rowers);
  await press('12 of 34 have read this');
  expect((await reminderButton()).disabled).toBe(true);
  expect(screen.getByText(/^Last reminded .+ You can remind again tomorrow, .+\.$/)).toBeDefined();
});

test('after three reminders the button is disabled for good, and says why [READ-06 READ-07]', async () => {
  server.read = () => success({ ...readers, reminders: 3, reminded_at: read_at });
  showList({ ...important, read_count: 12, reader_count: 34 }, rowers);
  await press('12 of 34 have read this');
  expect((await reminderButton()).disabled).toBe(true);
  expect(await screen.findByText(/You have used all 3 reminders\.$/)).toBeDefined();
});
