import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Event } from '#features/events/contract.ts';
import { ada, renderPage, run, server, success } from '#test/render-page.tsx';
import EventPage from '#features/events/pages/web/EventPage.tsx';

const unconfirmed = {
  my_role: 'attendee',
  my_answer: 'going',
  must_confirm: true,
  asked_about: 'time',
} satisfies Partial<Event>;
const texts = {
  time: 'Please confirm: the time has changed',
  place: 'Please confirm: the place has changed',
  event: 'Please confirm: the event has changed',
};

const show = (event: Partial<Event>) =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user: { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role: 0 as const })) },
    event: { ...run, ...event },
  });
const buttons = (group: HTMLElement) =>
  within(group)
    .getAllByRole('button')
    .map(({ textContent }) => textContent);

test.each(['time', 'place', 'event'] as const)(
  'confirm: the page says that the %s has changed, and shows the earlier answer and buttons for three answers',
  async (asked_about) => {
    show({ ...unconfirmed, asked_about });
    const group = await screen.findByRole('group', { name: texts[asked_about] });
    expect(group.textContent).toContain("You said you're going.");
    expect(buttons(group)).toEqual(["I'm going", 'Maybe', "Can't go"]);
    expect(screen.queryByRole('button', { name: 'Attending' })).toBeNull();
  },
);

test('confirm: the question gives the reason for the last change that asked, and the message to everyone [CALL-09]', async () => {
  const change = {
    id: 'change',
    kind: 'edit',
    changed_at: run.start_time,
    changed_by: null,
    new_host: null,
    before: {},
    after: { location_name: 'Hall' },
    reason: 'venue',
    words: 'Use the side door',
    asked_again: true,
    undone_at: null,
  } as const;
  const changes = [
    { ...change, reason: null, words: 'Only renamed', asked_again: false },
    { ...change, words: 'Taken back', undone_at: run.start_time },
    change,
    { ...change, words: 'Older' },
  ];
  show({ ...unconfirmed, changes });
  const group = await screen.findByRole('group', { name: texts.time });
  expect(group.textContent).toContain('Venue: Use the side door');
  expect(group.textContent).not.toMatch(/Only renamed|Taken back|Older/);
  cleanup();
  show({
    changes: [{ ...change, kind: 'cancelled', reason: null, words: 'Double-booked' }],
    deleted_at: run.start_time,
  });
  expect(screen.getByText('This event has been cancelled').parentElement?.textContent).toContain(
    'Double-booked',
  );
});

test('confirm: one tap confirms through the endpoint that works after the cut-off, and the focus is kept [CALL-08]', async () => {
  show(unconfirmed);
  server.respond = () => success({ my_answer: 'going', my_role: 'attendee', user_count: 1 });
  await userEvent.click(await screen.findByRole('button', { name: "I'm going" }));
  expect(await screen.findByRole('button', { name: 'Attending' })).toBeDefined();
  expect(server.sent).toEqual([{ call: 'PUT /api/v1/events/tuesday-run/answer', body: { answer: 'going' } }]);
  expect(screen.queryByText(texts.time)).toBeNull();
  await vi.waitFor(() => expect(document.activeElement).not.toBe(document.body));
});

test('confirm: the question stays if the answer could not be saved', async () => {
  show(unconfirmed);
  server.respond = () => Response.json({ data: null, status: 500, error: 'broken' }, { status: 500 });
  await userEvent.click(await screen.findByRole('button', { name: "Can't go" }));
  expect((await screen.findByRole('group', { name: texts.time })).textContent).toContain(
    "You said you're going.",
  );
});

test('confirm: a host can only confirm, or cancel the event', async () => {
  show({ ...unconfirmed, my_role: 'organiser' });
  expect(buttons(await screen.findByRole('group', { name: texts.time }))).toEqual(["I'm going"]);
  expect(screen.getByRole('button', { name: 'Cancel Event' })).toBeDefined();
});

test('confirm: a cancelled or past event needs no confirmation', () => {
  for (const part of [{ deleted_at: run.start_time }, { end_time: '2026-01-01T00:00:00.000Z' }]) {
    cleanup();
    show({ ...unconfirmed, ...part });
    expect(screen.queryByText(texts.time)).toBeNull();
  }
});
