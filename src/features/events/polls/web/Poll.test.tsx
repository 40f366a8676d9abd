import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Event } from '#features/events/contract.ts';
import EventPage from '#features/events/pages/web/EventPage.tsx';
import type { OpenTime } from '#features/events/time-contract.ts';
import {
  ada,
  confirm,
  expectToast,
  failure,
  press,
  renderPage,
  run,
  server,
  success,
} from '#test/render-page.tsx';

await import('#ui/ConfirmDialog.tsx');

const noVotes = {
  yes_count: 0,
  if_needed_count: 0,
  no_count: 0,
  is_best: false,
  voters: [],
  more_voters: null,
  my_vote: null,
};
const timeOn = (day: number, more: Partial<OpenTime> = {}): OpenTime => ({
  ...noVotes,
  id: `time-${day}`,
  start_time: `2099-06-0${day}T18:30:00.000Z`,
  end_time: `2099-06-0${day}T20:00:00.000Z`,
  ...more,
});
const voter = (first_name: string, vote: OpenTime['voters'][number]['vote']) => ({
  attendee_id: first_name,
  first_name,
  last_name: '',
  profile_picture_url: null,
  vote,
});
const voted = [
  timeOn(8, { yes_count: 1, no_count: 1, voters: [voter('Bob', 'yes'), voter('Cyd', 'no')] }),
  timeOn(9, {
    yes_count: 2,
    is_best: true,
    voters: [voter('Bob', 'yes'), voter('Cyd', 'yes')],
    my_vote: 'yes',
  }),
];

function show(times = [timeOn(8), timeOn(9)], event: Partial<Event> = {}, club_role: 0 | 200 = 0) {
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user: { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role })) },
    event: { ...run, polling: true, entry_until_time: '2099-06-07T18:30:00.000Z', times, ...event },
  });
}

const rows = () =>
  within(screen.getByRole('region', { name: 'Which time suits you?' })).getAllByRole('listitem');
const poll = () => screen.queryByRole('region', { name: 'Which time suits you?' });
const choice = (row: number, name: string) =>
  within(rows()[row] as HTMLElement).getByRole<HTMLInputElement>('radio', { name });

test('poll: before the first vote, says that nobody has voted, and has a button to share the event for those who run it [POLL-08]', () => {
  show(undefined, {}, 200);
  expect(screen.getByText('Nobody has voted yet')).toBeDefined();
  expect(screen.getByText(/Share the link to this event/)).toBeDefined();
  expect(within(poll() as HTMLElement).getByRole('button', { name: 'Share' })).toBeDefined();
  cleanup();
  show();
  expect(screen.getByText('Nobody has voted yet')).toBeDefined();
  expect(screen.queryByText(/Share the link/)).toBeNull();
  expect(within(poll() as HTMLElement).queryByRole('button', { name: 'Share' })).toBeNull();
  cleanup();
  show(voted);
  expect(screen.queryByText('Nobody has voted yet')).toBeNull();
});

test('poll: shows counts and names for each time, and marks the best one in words [POLL-02]', () => {
  show(voted);
  const [first, second] = rows().map((row) => row.textContent);
  expect(screen.getByText('Time poll')).toBeDefined();
  expect(first).toContain('1 yes: Bob');
  expect(first).toContain('1 no: Cyd');
  expect(first).not.toContain('Best so far');
  expect(second).toContain('2 yes: Bob, Cyd');
  expect(second).toContain('Best so far');
  expect(choice(1, 'Yes').checked).toBe(true);
  expect(choice(0, 'Yes').checked).toBe(false);
});

test('poll: shows one page of the names of many voters, and further pages on request [POLL-02]', async () => {
  const first = [voter('Bob', 'yes'), voter('Cyd', 'yes')];
  show([timeOn(8, { yes_count: 3, no_count: 2, voters: first, more_voters: 'next' }), timeOn(9)]);
  expect(rows()[0]?.textContent).toContain('3 yes: Bob, Cyd and 1 more');
  expect(rows()[0]?.textContent).toMatch(/2 no(?!:)/);
  const pages: Record<string, object> = {
    next: { voters: [voter('Dan', 'yes'), voter('Eve', 'no')], more: 'last' },
    last: { voters: [voter('Fay', 'no')], more: null },
  };
  const fetched = vi.fn((url: string) =>
    Promise.resolve(success(pages[new URL(url, location.href).searchParams.get('after') ?? ''])),
  );
  vi.stubGlobal('fetch', fetched);
  await press('Show more names');
  await vi.waitFor(() => expect(rows()[0]?.textContent).toContain('3 yes: Bob, Cyd, Dan'));
  expect(rows()[0]?.textContent).toContain('2 no: Eve and 1 more');
  await press('Show more names');
  await vi.waitFor(() => expect(rows()[0]?.textContent).toContain('2 no: Eve, Fay'));
  const urls = fetched.mock.calls.map(([url]) => url).filter((url) => url.includes('voters'));
  expect(urls).toEqual(
    ['next', 'last'].map((after) => `/api/v1/events/tuesday-run/times/time-8/voters?after=${after}`),
  );
  expect(screen.queryByRole('button', { name: 'Show more names' })).toBeNull();
  expect(rows()[0]?.textContent).not.toContain('more');
});

const vote = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Vote' });

test('poll: the keyboard alone is enough to vote, and times without a vote are sent as no [POLL-08]', async () => {
  show();
  server.respond = () => success({ times: voted });
  expect(vote().disabled).toBe(true);
  const groups = screen.getAllByRole('radiogroup');
  expect(groups).toHaveLength(2);
  // The names of the groups are the times.
  expect(
    groups.map((group) => document.getElementById(group.getAttribute('aria-labelledby') ?? '')?.textContent),
  ).toEqual([expect.stringContaining('8 June'), expect.stringContaining('9 June')]);
  choice(0, 'Yes').focus();
  await userEvent.keyboard(' {ArrowRight}');
  expect(choice(0, 'If needed').checked).toBe(true);
  vote().focus();
  await userEvent.keyboard('{Enter}');
  expect(server.sent).toEqual([
    {
      call: 'PUT /api/v1/events/tuesday-run/votes',
      body: {
        votes: [
          { time: 'time-8', vote: 'if_needed' },
          { time: 'time-9', vote: 'no' },
        ],
      },
    },
  ]);
  await screen.findByText('Your votes are saved.');
  expect(rows()[1]?.textContent).toContain('Best so far');
});

test('poll: a vote that could not be saved stays chosen, and the page shows an error [POLL-08]', async () => {
  show();
  server.respond = () => failure(500);
  await userEvent.click(choice(1, 'Yes'));
  await press('Vote');
  await screen.findByText("Your votes weren't saved");
  expect(choice(1, 'Yes').checked).toBe(true);
});

test('poll: an admin chooses a time after a confirmation that names the recipients; members cannot [POLL-04]', async () => {
  show(voted, {}, 200);
  await press('Choose: Tuesday 9 June 2099, 6:30 pm – 8:00 pm (UTC)');
  expect((await screen.findByRole('alertdialog')).textContent).toContain('Everyone in the club is told.');
  expect(server.sent).toEqual([]);
  await confirm('Choose this time');
  expect(server.sent).toEqual([{ call: 'POST /api/v1/events/tuesday-run/decide', body: { time: 'time-9' } }]);
  cleanup();
  server.respond = () => failure(500);
  show(voted, {}, 200);
  await press('Choose: Tuesday 9 June 2099, 6:30 pm – 8:00 pm (UTC)');
  await confirm('Choose this time');
  await expectToast("The time wasn't chosen", expect.any(String) as string);
  cleanup();
  show(voted);
  expect(screen.queryByRole('button', { name: /Choose/ })).toBeNull();
});

test('poll: voting closes at the cut-off, and the poll is hidden once the event is cancelled or over [POLL-02]', () => {
  show(voted, { entry_until_time: '2026-01-01T00:00:00.000Z' });
  expect(screen.getByText(/Voting has closed/)).toBeDefined();
  expect(screen.queryByRole('button', { name: /ote/ })).toBeNull();
  expect(choice(0, 'Yes').disabled).toBe(true);
  cleanup();
  for (const part of [{ deleted_at: run.start_time }, { end_time: '2026-01-01T00:00:00.000Z' }]) {
    show(voted, part);
    expect(poll()).toBeNull();
    cleanup();
  }
});

test('event page: during a poll, there are no answer buttons, and no time is shown as chosen [POLL-03]', () => {
  show(voted);
  expect(screen.getByText('No time chosen yet')).toBeDefined();
  for (const name of ['Attend Event', 'Maybe', "Can't go", 'Add to calendar', 'Change of plan'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

test('poll: a time that has passed is marked and cannot be chosen', () => {
  vi.setSystemTime(new Date('2099-06-09T00:00:00Z'));
  show([timeOn(8), timeOn(9)], {
    entry_until_time: '2099-06-09T18:30:00.000Z',
    start_time: '2099-06-09T18:30:00.000Z',
    end_time: '2099-06-09T20:00:00.000Z',
  });
  expect(rows()[0]?.textContent).toContain('This time has passed');
  expect(within(rows()[0] as HTMLElement).queryByRole('radio')).toBeNull();
  expect(choice(1, 'Yes').disabled).toBe(false);
  vi.useRealTimers();
});

test('poll: a table of members and times has the vote of each member, unless there are further pages of voters [POLL-02]', () => {
  show(voted);
  const cells = within(screen.getByRole('table', { name: 'Who can come when' }))
    .getAllByRole('row')
    .map((row) => [...row.children].map(({ textContent }) => textContent));
  expect(cells).toEqual([
    ['Member', expect.stringContaining('Mon 8 Jun'), expect.stringContaining('Tue 9 Jun')],
    ['Bob', 'Yes', 'Yes'],
    ['Cyd', 'No', 'Yes'],
  ]);
  cleanup();
  show(voted.map((time) => ({ ...time, more_voters: 'next' })));
  expect(screen.queryByRole('table')).toBeNull();
});
