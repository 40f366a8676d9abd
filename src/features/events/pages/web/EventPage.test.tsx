import { act, cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { User } from '#features/users/contract.ts';
import type { Event } from '#features/events/contract.ts';
import type { Attendee } from '#features/events/people-contract.ts';
import {
  ada,
  confirm,
  expectToast,
  failure,
  press,
  renderPage,
  rowers,
  run,
  server,
  success,
} from '#test/render-page.tsx';
import german from '#languages/de.json' with { type: 'json' };
import { hueOf } from '#wire/hue.ts';
import { addSeconds } from '#wire/instant.ts';
import { inLook } from '#wire/look.ts';
import { addTranslations } from '#wire/messages.ts';
import { toasts } from '#ui/toast.ts';
import { queries, queryClient } from '#web/queries.ts';
import EventPage from './EventPage.tsx';
import { weekly } from '#test/new-series.ts';

// The page loads the names when it is shown, which takes long on a busy machine.
await import('#features/events/answers/web/AttendeeList.tsx');

const host: Attendee = { ...ada, attendee_id: 'id-of-ada', attendee_role: 'organiser', guests: 0 };
const bob: Attendee = { ...host, attendee_id: 'id-of-bob', attendee_role: 'attendee', first_name: 'Bob' };
const attended = {
  my_role: 'attendee',
  my_answer: 'going',
  attendees: [host, bob],
  user_count: 2,
} satisfies Partial<Event>;
const asAttendee = {
  ...ada,
  id: 'id-of-bob',
  first_name: 'Bob',
  clubs: ada.clubs.map((club) => ({ ...club, club_role: 0 as const })),
};

const show = (event: Partial<Event> = {}, user: User = ada, club = rowers) =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user,
    club,
    event: { ...run, attendees: [host], user_count: 1, ...event },
  });

const button = (name: string | RegExp) => screen.queryByRole<HTMLButtonElement>('button', { name });
const edit = () => screen.queryByRole('link', { name: 'Edit' })?.getAttribute('href');
const fact = (name: string) => screen.getByRole('heading', { name }).parentElement?.textContent;
const people = (list: string) =>
  within(screen.getByRole('list', { name: list }))
    .queryAllByRole('listitem')
    .map(({ textContent }) => textContent);
const attendees = () => people('Attendees');
const stands = (one: Element, other: Element) =>
  one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? 'above' : 'below';
const pressed = () =>
  screen.queryAllByRole('button', { pressed: true }).map(({ textContent }) => textContent);

test('event page: shows name, host, place, details and attendees, with the organiser marked [EVENT-06 EVENT-07 EVENT-08 EVENT-09 EVENT-10 SEO-05]', async () => {
  show({ attendees: [host, bob], user_count: 2 });
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Tuesday run');
  expect(document.title).toContain('Tuesday run');
  expect(fact('Host')).toContain('Ada');
  expect(fact('Location')).toContain('Pier 3');
  expect(within(screen.getByRole('region', { name: 'Details' })).getByText('Bring water.')).toBeDefined();
  await screen.findByRole('list', { name: 'Attendees' });
  expect(attendees()).toEqual([expect.stringMatching(/Ada.*Host/), expect.not.stringMatching('Host')]);
});

/** Two unseen notifications, of which one is about the event that `show` shows. */
const inBell = (['tuesday-run', 'other'] as const).map((event_slug) => ({
  id: event_slug,
  message: 'Ada changed an event.',
  created_at: run.start_time,
  seen_at: null,
  actioned_at: null,
  metadata: { event_slug, event_name: 'Run' },
}));

test('event page: marks the unseen notifications about it as seen by calls of its own, and its preview for outsiders marks none [CHAN-08]', async () => {
  const inbox = queries.notifications().queryKey;
  const unseen = () => queryClient.getQueryData(inbox)?.flatMap(({ id, seen_at }) => (seen_at ? [] : [id]));
  server.read = (path) => (path === '/api/v1/notifications' ? success(inBell) : failure(404));
  show({}, { ...ada, clubs: [] });
  await act(() => queryClient.query(queries.notifications()));
  expect(unseen()).toEqual(['tuesday-run', 'other']);
  cleanup();
  show();
  await vi.waitFor(() => expect(unseen()).toEqual(['other']));
  expect(server.sent).toEqual([{ call: 'POST /api/v1/notifications/tuesday-run/seen', body: {} }]);
});

/** The cover of an event in the colour of its club. */
function coverOf(event: Partial<Event>) {
  show(event);
  const article = document.querySelector<HTMLElement>('article');
  const colours = article?.querySelectorAll(`[data-hue='${hueOf('id-of-rowers')}']`);
  // The date tile and the cover.
  expect([article?.dataset['hue'], colours?.length]).toEqual([`${hueOf('id-of-rowers')}`, 2]);
  const cover = article?.querySelector('svg[data-hue] path')?.getAttribute('d');
  cleanup();
  return cover;
}

test('event page: has the colour of the club, on its date tile too, and the same cover on all dates of a series [LOOKUX-01]', () => {
  const series = { ...weekly, slug: 'tuesdays' };
  const [one, other, ...dates] = [
    coverOf({ id: 'id-1' }),
    coverOf({ id: 'id-2' }),
    coverOf({ id: 'id-1', series }),
    coverOf({ id: 'id-2', series }),
  ];
  expect(one).not.toBe(other);
  expect(dates[0]).toBe(dates[1]);
});

test.each([
  ['an admin', ada],
  ['an organiser', { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role: 100 as const })) }],
  ['a member', asAttendee],
])('event page: shows the host to %s [EVENT-06]', (_, viewer) => {
  show({}, viewer);
  expect(fact('Host')).toContain('Ada');
});

test('event page: any 2xx response loads the event [API-04]', async () => {
  vi.stubGlobal('fetch', async () => success(run, 203));
  expect(await queryClient.fetchQuery(queries.event(run.slug))).toEqual(run);
});

test('event page: links to the events that the viewer attends at the same time [EVENT-04 EVENT-05]', () => {
  show({ conflicting_events: [{ slug: 'swim', name: 'Swim' }] });
  expect(stands(screen.getByText('Clashes with:'), screen.getByRole('heading', { level: 1 }))).toBe('below');
  expect(stands(screen.getByText('Clashes with:'), screen.getByText('Date and time'))).toBe('above');
  expect(screen.getByRole('link', { name: 'Swim' }).getAttribute('href')).toBe('/app/events/swim');
});

test('event page: a cancelled event is tagged, struck through and without actions [EVENT-24 EVENT-25 EVENT-35]', () => {
  show({ deleted_at: run.start_time, my_role: 'organiser' });
  expect(screen.getByText('CANCELLED')).toBeDefined();
  expect(stands(screen.getByText('This event has been cancelled'), screen.getByText('Date and time'))).toBe(
    'above',
  );
  expect(fact('Attendees')).toBe('Attendees1 was going');
  for (const text of [run.name, run.description, run.details])
    expect(screen.getByText(text).className).toContain('line-through');
  expect(button(/attend|cancel|restore|favourite/i)).toBeNull();
});

test('event page: only admins have the link to the edit form [EVENT-11]', () => {
  show();
  expect(edit()).toBe('/app/events/edit/tuesday-run');
  cleanup();
  show({}, { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role: 100 as const })) });
  expect(edit()).toBeUndefined();
});

test('event page: an organiser who plans can edit, change the plan and duplicate [ROLE2-08]', async () => {
  const clubs = ada.clubs.map((club) => ({ ...club, club_role: 100 as const }));
  const lets = { ...rowers, organisers_plan: true };
  show({}, { ...ada, clubs }, lets);
  expect(edit()).toBe('/app/events/edit/tuesday-run');
  expect(screen.getByRole('button', { name: 'Change of plan' })).toBeDefined();
  expect(screen.getByRole('button', { name: 'Take over as host' })).toBeDefined();
  await press('More actions');
  expect(await screen.findByRole('menuitem', { name: 'Duplicate' })).toBeDefined();
});

test.each([
  ['future', {}],
  ['past', { start_time: '2020-01-01T10:00:00.000Z', end_time: '2020-01-01T11:00:00.000Z' }],
  ['cancelled', { deleted_at: run.start_time }],
])('event page: admins can duplicate a %s event, from its menu [COPY-01 COPY-02]', async (_, part) => {
  show(part);
  await press('More actions');
  expect((await screen.findByRole('menuitem', { name: 'Duplicate' })).getAttribute('href')).toBe(
    '/app/clubs/rowers/new-event?from=tuesday-run',
  );
  for (const clubs of [[], ada.clubs.map((club) => ({ ...club, club_role: 100 as const }))]) {
    cleanup();
    show(part, { ...ada, clubs });
    expect(button('More actions')).toBeNull();
  }
});

test('event page: outsiders see a preview without people, details and actions [EVENT-11]', () => {
  show({ host: null, details: '', attendees: [] }, { ...ada, clubs: [] });
  expect(screen.getByText('This is a preview')).toBeDefined();
  expect(screen.getByText('1 going')).toBeDefined();
  expect(screen.queryByText(/Ada/)).toBeNull();
  expect(edit()).toBeUndefined();
  expect(button(/Attend Event|Favourite|Notify me of changes/)).toBeNull();
});

test('event page: following changes is not offered to attendees', () => {
  show();
  expect(button(/Notify me of changes/)).not.toBeNull();
  cleanup();
  show({ my_role: 'attendee' });
  expect(button(/Notify me of changes/)).toBeNull();
  expect(button('Favourite')).not.toBeNull();
});

const over = { entry_until_time: '2026-01-01T00:00:00.000Z' };

test.each([
  [null, over, 'Event Over'],
  ['organiser', over, 'Event Over'],
  [null, {}, 'Attend Event'],
  ['attendee', { my_answer: 'going' }, 'Attending'],
  ['organiser', {}, 'Cancel Event'],
] as const)(
  'event page: role %s with %j sees only the action "%s" [EVENT-28 EVENT-29 EVENT-30 EVENT-32 EVENT-33 EVENT-38 EVENT-39]',
  (my_role, part, action) => {
    show({ my_role, ...part });
    const actions = screen.getAllByRole('button', { name: /Event Over|Attend|Cancel Event/ });
    expect(actions.map(({ textContent }) => textContent)).toEqual([action]);
    expect(button(action)?.disabled).toBe(action === 'Event Over');
  },
);

test('attending: one click signs up, and a second one during the request is refused [EVENT-29 EVENT-30 EVENT-37 TOAST-23]', async () => {
  const response = Promise.withResolvers<Response>();
  server.respond = () => response.promise;
  show({}, asAttendee);
  await press('Attend Event');
  await press('Attending');
  await expectToast('Slow Down', 'You are performing this action too quickly');
  expect(server.sent).toEqual([{ call: 'POST /api/v1/events/tuesday-run/attend', body: {} }]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
  response.resolve(success({ my_role: 'attendee', user_count: 2 }));
  await vi.waitFor(() => expect(attendees()).toHaveLength(2));
});

test('attending: after a 429, the page shows a notice, waits for Retry-After and sends the answer again [ANSWER-12]', async () => {
  const limited = Response.json(
    { data: null, status: 429, error: 'too_often' },
    { status: 429, headers: { 'retry-after': '1' } },
  );
  const responses = [limited, success({ my_role: 'attendee', user_count: 2 })];
  server.respond = () => responses.shift() ?? failure(500);
  show({}, asAttendee);
  await press('Attend Event');
  await expectToast('Slow Down', 'You are performing this action too quickly');
  await vi.waitFor(() => expect(server.sent).toHaveLength(2), 3000);
  await vi.waitFor(() => expect(attendees()).toHaveLength(2));
  expect(toasts().filter(({ open }) => open)).toHaveLength(1);
});

test('attending: can be ended after a confirmation [EVENT-31]', async () => {
  server.respond = () => success({ my_role: null, user_count: 1 });
  show(attended, asAttendee);
  await press('Attending');
  await confirm('Keep attending');
  expect(server.sent).toEqual([]);
  await press('Attending');
  await confirm('Unattend');
  await screen.findByRole('button', { name: 'Attend Event' });
  expect(server.sent).toEqual([{ call: 'POST /api/v1/events/tuesday-run/unattend', body: {} }]);
  expect(attendees()).toHaveLength(1);
});

test('cancelling: asks for confirmation, and then opens the page of the club [API-34 EVENT-34 EVENT-36 TOAST-24]', async () => {
  const router = show({ my_role: 'organiser' });
  await press('Cancel Event');
  const dialog = await screen.findByRole('alertdialog', { name: 'Cancel this event?' });
  expect(dialog.textContent).toContain("It can't be undone.");
  await confirm('Keep event');
  expect(server.sent).toEqual([]);
  server.respond = () => success({ slug: run.slug });
  await press('Cancel Event');
  await confirm('Cancel Event');
  expect(server.sent).toMatchObject([{ call: 'DELETE /api/v1/events/tuesday-run/cancel' }]);
  await expectToast('Event cancelled', 'you have cancelled the event.');
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/clubs/rowers'));
});

// The server returns 200 with data or an error; a proxy may return anything.
const failures: [what: string, respond: () => Response | Promise<Response>][] = [
  ['a lost connection', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['an error', () => failure(409)],
  ['a 202', () => success({ my_role: 'attendee', user_count: 2 }, 202)],
  ['a 204', () => new Response(null, { status: 204 })],
  ['a 200 without data', () => success(null)],
];

test.each(failures)(
  'attending: %s shows an error and reverts the optimistic update [API-30 TOAST-21 UX-34]',
  async (_what, respond) => {
    server.respond = respond;
    show({}, asAttendee);
    await press('Attend Event');
    await expectToast('Error', 'An error occurred while trying to attend event');
    await screen.findByRole('button', { name: 'Attend Event' });
    expect(attendees()).toHaveLength(1);
  },
);

test.each(failures)(
  'attending: %s while unattending shows an error and reverts the optimistic update [API-31 TOAST-22]',
  async (_what, respond) => {
    server.respond = respond;
    show(attended, asAttendee);
    await press('Attending');
    await confirm('Unattend');
    await expectToast('Error', 'An error occurred while trying to unattend event');
    await screen.findByRole('button', { name: 'Attending' });
    expect(attendees()).toHaveLength(2);
  },
);

test.each(failures)(
  'cancelling: %s shows an error and changes nothing [API-34 TOAST-25]',
  async (_what, respond) => {
    server.respond = respond;
    const router = show({ my_role: 'organiser' });
    await press('Cancel Event');
    await confirm('Cancel Event');
    await expectToast('Error', 'error cancelling event.');
    expect(router.state.location.pathname).toBe('/app/events/tuesday-run');
    expect(screen.queryByText('CANCELLED')).toBeNull();
  },
);

test.each(['Favourite', "Notify me of changes, even if I'm not attending"])(
  'event page: "%s" is reverted with an error when the request fails',
  async (name) => {
    const response = Promise.withResolvers<Response>();
    server.respond = () => response.promise;
    show();
    await press(name);
    await screen.findByRole('button', { name, pressed: true });
    response.reject(new TypeError('Failed to fetch'));
    await expectToast("Your choice wasn't saved", 'An unexpected error occurred');
    await screen.findByRole('button', { name, pressed: false });
  },
);

test('event page: says when sign-up closes, in a short form if it closes at the start', () => {
  show({ entry_until_time: run.start_time });
  expect(fact('Date and time')).toContain('Sign-up closes when the event starts.');
  cleanup();
  show({ entry_until_time: addSeconds(run.start_time, -3600) });
  expect(fact('Date and time')).toContain('Sign-up closes: Monday 8 June 2099');
  cleanup();
  show(over);
  expect(fact('Date and time')).not.toContain('Sign-up closes');
});

test('event page: an event of several days has a short end date, and an online location is a link without a map [EVENT-19 EVENT-20 UX-11]', () => {
  show({ end_time: addSeconds(run.start_time, 2 * 86_400), location_name: 'https://meet.example/run' });
  expect(fact('Date and time')).toMatch(/Monday 8 June 2099.* – Wed 10 Jun, \d+:\d\d [ap]mSign-up closes/);
  expect(target('https://meet.example/run')).toBe('https://meet.example/run');
  expect(screen.queryByText('Open in Maps')).toBeNull();
});

const target = (name: string) => screen.getByRole('link', { name }).getAttribute('href');

test('event page: the place has a plain link to a map, and addresses in texts are links [UX-11 UX-12]', () => {
  show({ description: 'See https://a.example/x.', details: 'Ask ada@club.example' });
  expect(target('Open in Maps')).toBe('https://www.openstreetmap.org/search?query=Pier%203');
  expect(target('https://a.example/x')).toBe('https://a.example/x');
  expect(target('ada@club.example')).toBe('mailto:ada@club.example');
});

test.each([
  ['Attend Event', {}, asAttendee],
  ['Attending', attended, asAttendee],
  ['Maybe', {}, asAttendee],
  ["Can't go", attended, asAttendee],
  ['Change of plan', { my_role: 'organiser' }, ada],
] as const)(
  'offline: pressing %s sends nothing and shows in the bar that it needs a network [UX-34]',
  async (name, event, user) => {
    const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    show(event, user);
    await press(name);
    const said = screen.getByRole('alert');
    expect(said.textContent).toBe("You're offline. Try again when you're connected.");
    expect(said.parentElement).toBe(button(name)?.closest('[data-bottom-bar]'));
    expect(server.sent).toEqual([]);
    expect(screen.queryByRole('alertdialog')).toBeNull();
    expect(toasts().filter(({ open }) => open)).toEqual([]);
    onLine.mockReturnValue(true);
    act(() => void window.dispatchEvent(new window.Event('online')));
    expect(document.querySelector('[role=alert]:not(:empty)')).toBeNull();
  },
);

test('offline: pressing Cancel Event sends nothing and shows beside it that it needs a network [UX-34]', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  show({ my_role: 'organiser' });
  await press('Cancel Event');
  expect(screen.getByRole('alert').textContent).toBe("You're offline. Try again when you're connected.");
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('offline: a request that fails even though the device seems online shows the specified toast [UX-34]', async () => {
  show({}, asAttendee);
  server.respond = () => Promise.reject(new TypeError('Failed to fetch'));
  await press('Attend Event');
  await expectToast('Error', 'An error occurred while trying to attend event');
  expect(server.sent).toHaveLength(1);
});

const answers = () =>
  within(screen.getByRole('group', { name: 'Your answer' }))
    .getAllByRole('button')
    .map(({ textContent }) => textContent);

test.each([
  ['no answer', {}, ['Attend Event', 'Maybe', "Can't go"], [], ''],
  ['going', attended, ['Attending', 'Maybe', "Can't go"], ['Attending'], "You're in."],
  ['maybe', { my_answer: 'maybe' }, ['Attend Event', 'Maybe', "Can't go"], ['Maybe'], 'You said maybe.'],
  [
    "can't go",
    { my_answer: 'no' },
    ['Attend Event', 'Maybe', "Can't go"],
    ["Can't go"],
    "You said you can't go.",
  ],
] as const)(
  'answers: aria-pressed and a text show the current answer: %s [ANSWER-03]',
  (_, event, labels, chosen, words) => {
    show(event, asAttendee);
    expect(answers()).toEqual(labels);
    expect(pressed()).toEqual(chosen);
    expect(
      screen
        .getAllByRole('status')
        .map(({ textContent }) => textContent)
        .join(),
    ).toContain(words);
    expect(button('Maybe')?.closest('[data-bottom-bar]')).not.toBeNull();
  },
);

test.each([
  [attended, ['Zugesagt', 'Vielleicht', 'Absagen']],
  [{ my_answer: 'no' }, ['Zusagen', 'Vielleicht', 'Abgesagt']],
] as const)(
  'answers: the German button of the answer given says what it is: %#. [ANSWER-03 LANG-01]',
  (event, labels) => {
    addTranslations('de', german);
    inLook({ language: 'de', clock: 'auto' }, () => show(event, asAttendee));
    const group = within(screen.getByRole('group', { name: 'Deine Antwort' }));
    expect(group.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(labels);
  },
);

test('answers: the host, outsiders and viewers of a closed event see no answer buttons [ANSWER-10 EVENT-28 EVENT-32]', () => {
  show({ my_role: 'organiser', my_answer: 'going' });
  expect(screen.queryByRole('group', { name: 'Your answer' })).toBeNull();
  cleanup();
  show({ host: null }, { ...ada, clubs: [] });
  expect(screen.queryByRole('group', { name: 'Your answer' })).toBeNull();
  cleanup();
  show({ ...attended, ...over }, asAttendee);
  expect(screen.queryByRole('group', { name: 'Your answer' })).toBeNull();
});

test.each([
  ['Maybe', 'maybe', 'PUT /api/v1/events/tuesday-run/answer', { answer: 'maybe' }],
  ["Can't go", 'no', 'POST /api/v1/events/tuesday-run/unattend', {}],
] as const)(
  'answers: "%s" is counted at once without a confirmation, and is sent once',
  async (name, my_answer, call, body) => {
    const response = Promise.withResolvers<Response>();
    server.respond = () => response.promise;
    show({ silent_count: 2 }, asAttendee);
    await press(name);
    await vi.waitFor(() => expect(pressed()).toEqual([name]));
    await press(name);
    expect(fact('Attendees')).toContain(
      my_answer === 'no' ? "1 can't go · 1 hasn't answered" : "1 hasn't answered",
    );
    expect(server.sent).toEqual([{ call, body }]);
    response.resolve(success({ my_answer, my_role: null, user_count: 1 }));
    expect(screen.queryByRole('alertdialog')).toBeNull();
  },
);

test('answers: changing from Attending to Maybe asks for confirmation', async () => {
  server.respond = () => success({ my_answer: 'maybe', my_role: null, user_count: 1 });
  show(attended, asAttendee);
  await press('Maybe');
  await screen.findByRole('alertdialog', { name: 'Change to maybe?' });
  await confirm('Keep attending');
  expect(server.sent).toEqual([]);
  await press('Maybe');
  await confirm('Change to maybe');
  await vi.waitFor(() => expect(people('Maybe')).toEqual([expect.stringContaining('Bob')]));
  expect(attendees()).toHaveLength(1);
  expect(server.sent).toEqual([{ call: 'PUT /api/v1/events/tuesday-run/answer', body: { answer: 'maybe' } }]);
});

test("answers: changing from Attending to Can't go asks for confirmation", async () => {
  server.respond = () => success({ my_answer: 'no', my_role: null, user_count: 1 });
  show(attended, asAttendee);
  await press("Can't go");
  await screen.findByRole('alertdialog', { name: 'Stop attending?' });
  await confirm('Unattend');
  await vi.waitFor(() => expect(pressed()).toEqual(["Can't go"]));
  expect(server.sent).toEqual([{ call: 'POST /api/v1/events/tuesday-run/unattend', body: {} }]);
});

test('answers: an answer that could not be saved is reverted, and the bar shows the reason', async () => {
  server.respond = () => Promise.reject(new TypeError('Failed to fetch'));
  show({ my_answer: 'no', no_count: 1 }, asAttendee);
  await press('Maybe');
  await expectToast("Your answer wasn't saved", 'An unexpected error occurred.');
  expect(pressed()).toEqual(["Can't go"]);
  expect(screen.getByRole('alert').textContent).toBe('An unexpected error occurred.');
  expect(fact('Attendees')).toContain("1 can't go");
});

test('answers: after the cut-off, an attendee can still withdraw after a confirmation [ANSWER-08]', async () => {
  server.respond = () => success({ my_answer: 'no', my_role: null, user_count: 1 });
  show({ ...attended, ...over }, asAttendee);
  const bar = button('Event Over')?.closest('[data-bottom-bar]') as HTMLElement;
  expect(
    within(bar)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toEqual(['Event Over', "Can't make it any more?"]);
  await press("Can't make it any more?");
  expect((await screen.findByRole('alertdialog')).textContent).toContain("so you can't attend again");
  expect(server.sent).toEqual([]);
  await confirm("Can't go");
  await screen.findByText("You said you can't go. Sign-up has closed.");
  expect(server.sent).toEqual([{ call: 'POST /api/v1/events/tuesday-run/unattend', body: {} }]);
  expect(button("Can't make it any more?")).toBeNull();
  expect(button('Event Over')?.disabled).toBe(true);
});

test.each([
  ['an event answered with maybe', { my_answer: 'maybe', ...over }],
  ['an unanswered event', over],
  ['an event that the viewer hosts', { my_role: 'organiser', my_answer: 'going', ...over }],
  ['an ended event', { ...attended, ...over, end_time: over.entry_until_time }],
  ['a cancelled event', { ...attended, ...over, deleted_at: over.entry_until_time }],
] as const)('answers: %s has no button to withdraw after the cut-off [ANSWER-08]', (_, event) => {
  show(event, asAttendee);
  expect(button("Can't make it any more?")).toBeNull();
});

test('event page: members see who is going or said maybe, and only the numbers of other answers [ANSWER-05]', () => {
  const eve = { ...bob, attendee_id: 'id-of-eve', first_name: 'Eve' };
  show(
    { ...attended, guest_count: 4, maybe: [eve], maybe_count: 1, no_count: 3, silent_count: 12 },
    asAttendee,
  );
  expect(fact('Attendees')).toContain('2 going + 4 guests');
  expect(fact('Attendees')).toContain("3 can't go · 12 haven't answered");
  expect(screen.getByRole('region', { name: /^Going ?2$/ })).toBeDefined();
  expect(within(screen.getByRole('region', { name: /^Maybe ?1$/ })).getByText('Eve')).toBeDefined();
  expect(people('Attendees').join()).not.toContain('Eve');
});

test('event page: outsiders see only how many are going', () => {
  show({ host: null, user_count: 31 }, { ...ada, clubs: [] });
  expect(fact('Attendees')).toBe('Attendees31 going');
  expect(screen.queryByRole('list', { name: 'Attendees' })).toBeNull();
  expect(screen.queryByText('Note to the hosts')).toBeNull();
});

test('event page: after the end, shows who went, but not who said maybe', () => {
  show({
    ...attended,
    guest_count: 1,
    maybe: [bob],
    maybe_count: 1,
    no_count: 3,
    end_time: '2026-01-01T00:00:00.000Z',
  });
  expect(fact('Attendees')).toBe('Attendees2 went + 1 guest');
  expect(screen.queryByRole('list', { name: 'Maybe' })).toBeNull();
});

const movedFrom = (start_time: string) => ({
  moved_from: { start_time, end_time: addSeconds(start_time, 3600), until: run.end_time },
});
const oldTime = () => fact('Date and time')?.match(/^Date and timeMovedFrom (.*? – .*? [ap]m)/)?.[1];

test('event page: the time before a recent change is struck through, with its day if that changed too [TIME-14]', () => {
  show(movedFrom(addSeconds(run.start_time, -1800)));
  expect(oldTime()).toBe('6:00 pm – 7:00 pm');
  expect(screen.getByText('6:00 pm – 7:00 pm').tagName).toBe('S');
  cleanup();
  show(movedFrom(addSeconds(run.start_time, -86_400)));
  expect(oldTime()).toBe('Sunday 7 June 2099, 6:30 pm – 7:30 pm');
  cleanup();
  show({ moved_from: { ...movedFrom(run.start_time).moved_from, until: '2026-01-01T00:00:00.000Z' } });
  expect(screen.queryByText('Moved')).toBeNull();
});

test('event page: members see the changes, outsiders do not [HIST-02]', () => {
  const changes: Event['changes'] = [
    {
      id: 'id-of-change',
      kind: 'edit',
      changed_at: run.start_time,
      changed_by: null,
      new_host: null,
      before: { details: '' },
      after: { details: 'Bring water.' },
      reason: null,
      words: '',
      asked_again: false,
      undone_at: null,
    },
  ];
  show({ changes });
  expect(screen.getByRole('heading', { name: 'Changes' })).toBeDefined();
  cleanup();
  show({ changes }, { ...ada, clubs: [] });
  expect(screen.queryByRole('heading', { name: 'Changes' })).toBeNull();
});

test('event page: a date of a series shows the rule and links to the series [SERIES-09]', () => {
  show({ series: { ...weekly, slug: 'runs' } });
  expect(screen.getByRole('link', { name: 'Every Tuesday' }).getAttribute('href')).toBe('/app/series/runs');
});

test('event page: declining a date that a standing answer covers skips only this date, and the page says so beforehand [STAND-03]', async () => {
  const series = { ...weekly, slug: 'runs' };
  show({ series, my_answer: 'going', my_role: 'attendee', by_standing: true });
  expect(
    screen.getByText("Every Tuesday: you said you are going. “Can't go” skips only this one."),
  ).toBeDefined();
  await press("Can't go");
  const dialog = await screen.findByRole('alertdialog', { name: 'Skip this one?' });
  expect(dialog.textContent).toContain('Your answer to the other events of the series stays.');
  await confirm('Skip this one');
  await vi.waitFor(() =>
    expect(server.sent).toEqual([{ call: 'POST /api/v1/events/tuesday-run/unattend', body: {} }]),
  );
});

const away = { my_answer: 'no', away_until: '2099-06-17' } as const;

test.each([
  ["I'll come anyway", 'POST', 'attend', {}],
  ["Can't go", 'POST', 'unattend', {}],
  ['Maybe', 'PUT', 'answer', { answer: 'maybe' }],
])(
  "event page: a member whom an absence answers for reads until when they are away, and '%s' gives an answer of their own [AWAY-04]",
  async (label, method, call, body) => {
    show(away);
    expect(screen.getByText("You're away until 17 Jun")).toBeDefined();
    expect(screen.queryByText(/^You said/)).toBeNull();
    expect(button("Can't go")?.getAttribute('aria-pressed')).toBe('true');
    await press(label);
    await vi.waitFor(() =>
      expect(server.sent).toEqual([{ call: `${method} /api/v1/events/tuesday-run/${call}`, body }]),
    );
  },
);

test("event page: 'I'll come anyway' joins the waitlist of a full event, and is absent without a waitlist and after the cut-off [AWAY-04]", async () => {
  const text = "You're away until 17 Jun";
  for (const limits of [
    { seats_left: 0, waitlist: false },
    { entry_until_time: '2026-01-01T00:00:00.000Z' },
  ]) {
    show({ ...away, ...limits });
    expect(screen.getByText(text)).toBeDefined();
    expect(button("I'll come anyway")).toBeNull();
    cleanup();
  }
  show({ ...away, seats_left: 0 });
  const state = { my_answer: 'waiting', my_place: 1, waiting_count: 1, my_role: null, must_confirm: false };
  server.respond = () => success(state);
  await press("I'll come anyway");
  await screen.findByText(/^You are 1st on the waitlist/);
  expect(screen.queryByText(text)).toBeNull();
});

const many = (start: number, count: number) =>
  Array.from({ length: count }, (_, nth) => ({ ...bob, attendee_id: `id-${start + nth}` }));

test('event page: one tap opens the names, of which more than a hundred follow page by page [EVENT-08 T50 HOSTUX-11]', async () => {
  const others = many(0, 99);
  show({ attendees: [host, ...others], user_count: 130, more_attendees: 'next' });
  expect(attendees()).toHaveLength(24);
  await userEvent.click(screen.getByText('All names'));
  await vi.waitFor(() => expect(attendees()).toHaveLength(100));
  // Somebody who was on the first page is on the next one as well.
  vi.stubGlobal('fetch', () => Promise.resolve(success({ people: many(98, 31), more: null })));
  await press('Show more');
  await vi.waitFor(() => expect(attendees()).toHaveLength(130));
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
});

const voices = [
  { id: 'id-of-tenor', name: 'Tenor', going: 3, maybe: 1, silent: 2 },
  { id: 'id-of-bass', name: 'Bass', going: 4, maybe: 0, silent: 0 },
];
const forVoices = {
  section_ids: ['id-of-tenor', 'id-of-bass'],
  section_names: ['Tenor', 'Bass'],
  section_counts: voices,
};

test('event page: says for whom an event is, and other members read that they can come too [SECT-05]', () => {
  show(forVoices, asAttendee);
  expect(screen.getByText('For Tenor, Bass')).toBeDefined();
  cleanup();
  show({ ...forVoices, is_for_me: false }, asAttendee);
  expect(screen.getByText('This is for Tenor and Bass. You can come too.')).toBeDefined();
  cleanup();
  show({ ...forVoices, is_for_me: false, ...attended }, asAttendee);
  expect(screen.getByText('For Tenor, Bass')).toBeDefined();
  cleanup();
  show({}, asAttendee);
  expect(screen.queryByText(/^For |^This is for /)).toBeNull();
});

test.each<[string, Partial<Event>]>([
  ['Goes ahead', { needed: { 'id-of-tenor': 3, 'id-of-bass': 4 } }],
  ['Short: 1 Tenor, 2 Bass', { needed: { 'id-of-tenor': 4, 'id-of-bass': 6 } }],
  ['Short: 3 people', { needed: { all: 10 } }],
  ['Short: 1 person, 1 Tenor', { needed: { all: 8, 'id-of-tenor': 4 } }],
])('event page: all members read whether enough people come: %s [SECT-07]', (text, event) => {
  show({ section_counts: voices, user_count: 5, guest_count: 2, ...event }, asAttendee);
  expect(screen.getByText(text)).toBeDefined();
  cleanup();
  show({ section_counts: voices, user_count: 5, guest_count: 2 }, asAttendee);
  expect(screen.queryByText(/^Goes ahead|^Short/)).toBeNull();
});

test('event page: runners see the numbers of each section, and nudge those that are short [SECT-06]', async () => {
  show({ ...forVoices, needed: { 'id-of-tenor': 5 } });
  expect(people('Sections')).toEqual(['Tenor 3 of 5· 1 maybe · 2 no answer', 'Bass 4']);
  server.respond = () => success({ nudged: 2 });
  await userEvent.click(screen.getByRole('button', { name: 'Nudge Tenor' }));
  expect(server.sent).toEqual([
    {
      call: 'POST /api/v1/events/tuesday-run/nudge',
      body: { to: 'silent', section_ids: ['id-of-tenor'] },
    },
  ]);
  cleanup();
  show(forVoices, asAttendee);
  expect(screen.queryByRole('list', { name: 'Sections' })).toBeNull();
});
