import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { queryClient } from '#web/queries.ts';
import type { Event as ClubEvent } from '#features/events/contract.ts';
import type { Slot } from '#features/events/slots/contract.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import { ada, confirm, fill, press, renderPage, run, server, success } from '#test/render-page.tsx';
import { Slots } from './Slots.tsx';

const someone = (first_name: string) => ({
  id: `id-of-${first_name.toLowerCase()}`,
  first_name,
  last_name: '',
  profile_picture_url: null,
});
const salad: Slot = { id: 'salad', kind: 'bring', title: 'Salad', places: 2, by: someone('Bob'), claims: [] };
const lift: Slot = {
  id: 'lift',
  kind: 'lift',
  title: 'From the station',
  places: 3,
  by: someone('Bob'),
  claims: [{ ...someone('Cyd'), places: 2 }],
};

function show(slots: Slot[], role: ClubOfUser['club_role'], event: Partial<ClubEvent> = {}) {
  queryClient.setQueryData(['slots', run.id], { slots });
  const [club] = ada.clubs;
  return renderPage(
    <Slots
      event={{ ...run, ...event }}
      club={{ ...(club as ClubOfUser), club_role: role, is_planner: role === 200 }}
    />,
    {
      route: '/app/events/:slug',
      path: '/app/events/tuesday-run',
      event: run,
    },
  );
}
const rows = () =>
  within(screen.getByRole('list', { name: 'Bring list and lifts' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

test('list of an event: while it is empty, members see nothing, and admins see a button to add to it [SLOTS-03]', async () => {
  show([], 0, { my_answer: 'going', my_role: 'attendee' });
  expect(document.body.textContent).toBe('');
  cleanup();
  show([], 200);
  await press('Add a bring list or lifts');
  server.respond = () => success({ slots: [salad] });
  await fill('What to bring', 'Salad');
  await press('Add');
  await vi.waitFor(() => expect(rows()).toEqual([expect.stringMatching(/^Salad2 of 2 left/)]));
  expect(server.sent).toEqual([
    { call: 'POST /api/v1/events/id-of-run/slots', body: { kind: 'bring', title: 'Salad', places: 1 } },
  ]);
});

test('list of an event: members can take a place and give it back [SLOTS-01]', async () => {
  show([salad, lift], 0);
  expect(rows()).toEqual([
    expect.stringMatching(/^Salad2 of 2 left/),
    expect.stringMatching(/^From the station1 of 3 left · with BobCyd ×2/),
  ]);
  const taken = { ...salad, claims: [{ ...someone('Ada'), places: 1 }] };
  server.respond = () => success({ slots: [taken, lift] });
  await press("I'll bring it: Salad");
  const number = await screen.findByRole('spinbutton', { name: 'Your number: Salad' });
  expect(rows()[0]).toMatch(/^Salad1 of 2 leftAda/);
  server.respond = () => success({ slots: [salad, lift] });
  await userEvent.clear(number);
  await userEvent.type(number, '0');
  await userEvent.tab();
  await screen.findByRole('button', { name: "I'll bring it: Salad" });
  expect(server.sent.map(({ body }) => body)).toEqual([{ places: 1 }, { places: 0 }]);
});

test('list of an event: a member who is going can offer a lift, but no other kind of entry [SLOTS-01]', async () => {
  show([salad], 0, { my_answer: 'going', my_role: 'attendee' });
  await press('Offer a lift');
  expect(screen.queryByRole('group', { name: 'Kind' })).toBeNull();
  await fill('Where from and when', 'From the station');
  server.respond = () => success({ slots: [salad, lift] });
  await press('Add');
  expect(server.sent).toEqual([
    {
      call: 'POST /api/v1/events/id-of-run/slots',
      body: { kind: 'lift', title: 'From the station', places: 1 },
    },
  ]);
  await vi.waitFor(() => expect(rows()).toHaveLength(2));
});

test('list of an event: a member who offers two lifts sees that this is the limit, and an organiser can offer more [SLOTS-01]', async () => {
  const mine = ['one', 'two'].map((id) => ({ ...lift, id, by: { ...someone('Ada'), id: ada.id } }));
  show(mine, 0, { my_answer: 'going', my_role: 'attendee' });
  expect(screen.queryByRole('button', { name: 'Offer a lift' })).toBeNull();
  expect(screen.getByText('You can offer two lifts for each event.')).toBeTruthy();
  cleanup();
  show(mine, 200);
  expect(screen.getByRole('button', { name: 'Add to the list' })).toBeTruthy();
  expect(screen.queryByText('You can offer two lifts for each event.')).toBeNull();
});

test('list of an event: removing an entry that others have signed up for asks for confirmation', async () => {
  show([lift], 200);
  server.respond = () => success({ slots: [] });
  await press('Remove From the station');
  await screen.findByText('1 person has a seat. We tell them.');
  await confirm('Remove');
  await vi.waitFor(() => expect(server.sent).toEqual([{ call: 'DELETE /api/v1/slots/lift', body: null }]));
});

test('list of an event: an error says when somebody else has just taken the place', async () => {
  show([salad], 0);
  server.respond = () => Response.json({ data: null, status: 409, error: 'slot_full' }, { status: 409 });
  await press("I'll bring it: Salad");
  expect((await screen.findByRole('alert')).textContent).toMatch(/There aren't enough places left/);
});

test('list of an event: what was typed for a new entry is there when the form opens again, until it is added [FORMUX-03]', async () => {
  show([], 200);
  await press('Add a bring list or lifts');
  await fill('What to bring', 'Salad');
  cleanup();
  show([], 200);
  await press('Add a bring list or lifts');
  expect(screen.getByText(/^Your draft from/)).toBeDefined();
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'What to bring' }).value).toBe('Salad');
  server.respond = () => success({ slots: [salad] });
  await press('Add');
  await vi.waitFor(() => expect(localStorage.getItem('drafts')).toBeNull());
});
