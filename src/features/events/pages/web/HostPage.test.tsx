import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Event } from '#features/events/contract.ts';
import type { Attendee } from '#features/events/people-contract.ts';
import type { User } from '#features/users/contract.ts';
import { ada, press, renderPage, run, server, success } from '#test/render-page.tsx';
import { weekly } from '#test/new-series.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import EventPage from './EventPage.tsx';

const host: Attendee = { ...ada, attendee_id: ada.id, attendee_role: 'organiser', guests: 0 };
const person = (nth: number): Attendee => ({
  ...host,
  attendee_id: `id-${nth}`,
  attendee_role: 'attendee',
  first_name: `Member ${nth}`,
});
const member: User = { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role: 0 })) };
const hosting = { my_role: 'organiser', my_answer: 'going' } satisfies Partial<Event>;

const now = instant(Date.now());
const inMinutes = (minutes: number) => addSeconds(now, minutes * 60);
/** An event of an hour that starts in so many minutes. Sign-up closes at the start. */
const startsIn = (minutes: number) => ({
  start_time: inMinutes(minutes),
  end_time: inMinutes(minutes + 60),
  entry_until_time: inMinutes(minutes),
});

const show = (event: Partial<Event> = {}, user = ada) =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user,
    event: { ...run, attendees: [host], user_count: 1, ...event },
  });

const bar = () => document.querySelector<HTMLElement>('[data-bottom-bar]');
const namesIn = (area: HTMLElement | null) =>
  [...(area?.querySelectorAll('button, a') ?? [])].map(
    (each) => each.getAttribute('aria-label') ?? each.textContent,
  );
const button = (name: string) => screen.queryByRole<HTMLButtonElement>('button', { name });
async function menuInBar(): Promise<(string | null)[]> {
  await userEvent.click(within(bar() as HTMLElement).getByRole('button', { name: 'More actions' }));
  return screen.getAllByRole('menuitem').map(({ textContent }) => textContent);
}

test.each([
  ['three hours before the start', startsIn(180), 'Change of plan'],
  ['an hour before the start', startsIn(60), 'Check in'],
  ['in progress', startsIn(-10), 'Check in'],
  ['over', startsIn(-100), 'Event Over'],
  [
    'closed three hours before the start',
    { ...startsIn(180), entry_until_time: inMinutes(-1) },
    'Event Over',
  ],
] as const)(
  'host: in the bar of an event that is %s, "$2" is first [HOSTUX-01 UX-09]',
  (_, times, action) => {
    show({ ...hosting, ...times });
    expect(namesIn(bar())).toEqual([action, 'Share', 'More actions']);
    expect(button('Event Over')?.disabled ?? true).toBe(true);
    expect(screen.getAllByRole('button', { name: 'Share' })).toHaveLength(1);
  },
);

test('host: while check-in is open, the menu has the change of plan, until the end of the event [HOSTUX-01]', async () => {
  show({ ...hosting, ...startsIn(180) });
  expect(await menuInBar()).toEqual(['Edit', 'Duplicate', 'Hosts', 'Favourite']);
  cleanup();
  show({ ...hosting, ...startsIn(-10) });
  expect(await menuInBar()).toEqual(['Change of plan', 'Edit', 'Duplicate', 'Hosts', 'Favourite']);
  await userEvent.click(screen.getByRole('menuitem', { name: 'Change of plan' }));
  await screen.findByRole('dialog', { name: 'Change of plan' });
  cleanup();
  show({ ...hosting, ...startsIn(-100) });
  expect(await menuInBar()).toEqual(['Edit', 'Duplicate', 'Favourite']);
});

test('host: a cancelled event has no action, and an admin who is not the host has the bar of members [HOSTUX-01]', () => {
  show({ ...hosting, deleted_at: now });
  expect(bar()).toBeNull();
  expect(button('Cancel Event')).toBeNull();
  cleanup();
  show();
  expect(namesIn(bar())).toEqual(['Attend Event', 'Maybe', "Can't go"]);
  expect(button('Change of plan')).not.toBeNull();
});

test('host: Cancel Event is a button below the facts and outside of the bar, until the cut-off [HOSTUX-02]', () => {
  show({ ...hosting, ...startsIn(180) });
  expect(button('Cancel Event')?.closest('[data-bottom-bar]')).toBeNull();
  const attendees = screen.getByRole('heading', { name: 'Attendees' });
  const position = attendees.compareDocumentPosition(button('Cancel Event') as Node);
  expect(position & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  for (const times of [startsIn(-10), startsIn(-100)]) {
    cleanup();
    show({ ...hosting, ...times });
    expect(button('Cancel Event')).toBeNull();
    expect(button('Event Over')?.disabled).toBe(true);
  }
});

test('host: the numbers of answers and the nudges are in the head of the page [HOSTUX-03]', () => {
  const counts = { user_count: 29, waiting_count: 2, maybe_count: 1, silent_count: 8, confirmed_count: 4 };
  show({ ...hosting, ...counts });
  const head = screen.getByRole('heading', { level: 1 }).closest('header') as HTMLElement;
  const links = within(within(head).getByRole('navigation', { name: 'Answers' })).getAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')?.split('=')[1]])).toEqual([
    ['29 going', 'going'],
    ['2 on the waitlist', 'waiting'],
    ['1 maybe', 'maybe'],
    ['8 no answer', 'silent'],
    ['28 to confirm', 'unconfirmed'],
  ]);
  expect(within(head).getByRole('button', { name: 'Nudge' })).toBeDefined();
  cleanup();
  show(counts, member);
  expect(screen.queryByRole('navigation', { name: 'Answers' })).toBeNull();
});

test('people: at most eight faces and the number of the others, and the names grouped by answer [HOSTUX-11]', async () => {
  const attendees = [host, ...Array.from({ length: 12 }, (_, nth) => person(nth))];
  show({ attendees, user_count: 29, maybe: [person(20)], maybe_count: 1 }, member);
  const summary = screen.getByText('All names').closest('summary') as HTMLElement;
  expect(summary.querySelectorAll('[data-initials]')).toHaveLength(8);
  expect(summary.textContent).toContain('+21');
  const details = summary.closest('details') as HTMLDetailsElement;
  expect(details.open).toBe(false);
  expect(within(details).getByRole('region', { name: /^Going ?29$/ })).toBeDefined();
  expect(within(details).getByRole('region', { name: /^Maybe ?1$/ })).toBeDefined();
  cleanup();
  show({ attendees: attendees.slice(0, 3), user_count: 3 }, member);
  expect(screen.getByText('All names').closest('summary')?.textContent).not.toContain('+');
});

const names = (list: string) =>
  within(screen.getByRole('list', { name: list }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

test('people: the guests of a member stand beside the name [HOSTUX-06]', () => {
  const withGuests = { ...person(1), guests: 2 };
  show({ attendees: [host, withGuests], waiting: [{ ...person(2), guests: 1 }], waiting_count: 1 }, member);
  expect(names('Attendees')).toEqual(['Ada (you)Host', 'Member 1 +2 + 2 guests']);
  expect(names('Waitlist')).toEqual(['1.Member 2 +1 + 1 guest']);
});

test('seats: the page of a full event says so before its badge [HOSTUX-10]', () => {
  show({ capacity: 1, seats_left: 0 }, member);
  const tags = screen.getByText('Open').closest('div');
  expect(tags?.textContent).toBe('FullOpen');
  cleanup();
  show({ capacity: 2, seats_left: 1 }, member);
  expect(screen.getByText('Open').closest('div')?.textContent).toBe('Open');
});

test('waitlist: the bar has the place and a button to leave the waitlist [HOSTUX-08]', () => {
  const waits = { capacity: 1, seats_left: 0, my_answer: 'waiting', my_place: 3, waiting_count: 3 } as const;
  show(waits, member);
  expect(bar()?.textContent).toContain('3rd on the waitlist');
  expect(namesIn(bar())).toEqual(['Leave waitlist', 'Maybe']);
  cleanup();
  show({ ...waits, ...startsIn(60), entry_until_time: inMinutes(-1) }, member);
  expect(bar()?.textContent).toContain('3rd on the waitlist');
  cleanup();
  show({ ...waits, ...startsIn(-100) }, member);
  expect(bar()?.textContent).not.toContain('on the waitlist');
});

const series = { ...weekly, slug: 'runs' };
const going = { my_answer: 'going', my_role: 'attendee', my_guests: 0, user_count: 2 } as const;

test('series: after attending one date, the bar offers to attend every date [HOSTUX-09]', async () => {
  server.respond = () => success(going);
  show({ series }, member);
  expect(screen.queryByRole('group', { name: 'This date or every date?' })).toBeNull();
  await press('Attend Event');
  const question = await screen.findByRole('group', { name: 'This date or every date?' });
  expect(namesIn(question)).toEqual(['Just 8 Jun', 'Every Tuesday']);
  expect(question.closest('[data-bottom-bar]')).not.toBeNull();
  server.sent.length = 0;
  server.respond = () => success({ my_standing: null });
  await press('Every Tuesday');
  await screen.findByText("Every Tuesday: you're going. We answer every date for you until you change it.");
  expect(server.sent).toEqual([
    { call: 'PUT /api/v1/series/runs/standing', body: { answer: 'going', guests: 0 } },
  ]);
});

test('series: the question goes when the answer is for one date, and is not asked for a date without a series [HOSTUX-09]', async () => {
  server.respond = () => success(going);
  show({ series }, member);
  await press('Attend Event');
  await press('Just 8 Jun');
  expect(screen.queryByRole('group', { name: 'This date or every date?' })).toBeNull();
  expect(server.sent).toHaveLength(1);
  cleanup();
  show({}, member);
  await press('Attend Event');
  await screen.findByRole('button', { name: 'Attending' });
  expect(screen.queryByRole('group', { name: 'This date or every date?' })).toBeNull();
});

test('series: a failure to answer every date is shown beside the buttons, which stay [HOSTUX-09]', async () => {
  server.respond = () => success(going);
  show({ series }, member);
  await press('Attend Event');
  server.respond = () => Response.json({ data: null, status: 409, error: 'series_ended' }, { status: 409 });
  await press('Every Tuesday');
  const question = await screen.findByRole('group', { name: 'This date or every date?' });
  expect((await within(question).findByRole('alert')).textContent).not.toBe('');
  expect(button('Every Tuesday')).not.toBeNull();
});
