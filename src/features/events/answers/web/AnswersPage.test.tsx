import { act, cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { AnswerList, MemberAnswer } from '#features/events/answers/contract.ts';
import type { Event as ClubEvent } from '#features/events/contract.ts';
import { ada, expectToast, failure, press, renderPage, run, server, success } from '#test/render-page.tsx';
import { instant } from '#wire/instant.ts';
import { toasts } from '#ui/toast.ts';
import { queryClient } from '#web/queries.ts';
import AnswersPage from './AnswersPage.tsx';

// Menus are positioned with a ResizeObserver, which jsdom lacks.
beforeEach(
  () =>
    void vi.stubGlobal(
      'ResizeObserver',
      class {
        observe() {}
        disconnect() {}
      },
    ),
);

const bob: MemberAnswer = {
  id: 'id-of-bob',
  first_name: 'Bob',
  last_name: '',
  profile_picture_url: null,
  attendee_role: 'attendee',
  section_ids: [],
  guests: 0,
  note: '',
  reply: '',
  place: null,
  lets_pass: false,
  over: false,
  answered_at: instant(Date.now() - 3 * 3_600_000),
  changed_at: instant(Date.now() - 3 * 3_600_000),
  via: 'app',
  answered_by: null,
  why: null,
  can_call: false,
};
const host: MemberAnswer = { ...bob, id: 'id-of-ada', first_name: 'Ada', attendee_role: 'organiser' };

type Shown = { list?: AnswerList; event?: Partial<ClubEvent>; user?: typeof ada; more?: string };

function show(answers: MemberAnswer[], { list = 'going', event = {}, user = ada, more }: Shown = {}) {
  queryClient.setQueryData(['answers', run.slug, list], {
    pages: [{ answers, more: more ?? null }],
    pageParams: [undefined],
  });
  return renderPage(<AnswersPage />, {
    route: '/app/events/:slug/answers',
    path: `/app/events/tuesday-run/answers?list=${list}`,
    user,
    event: { ...run, ...event },
  });
}

const rows = (name: string) =>
  within(screen.getByRole('list', { name }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
const openToasts = () => toasts().flatMap(({ open, title }) => (open ? [title] : []));
const menus = () => screen.queryAllByRole('button', { name: /^Answer of/ });

async function answerFor(name: string, answer: string): Promise<void> {
  await userEvent.click(screen.getByRole('button', { name: new RegExp(`^Answer of ${name}`) }));
  await userEvent.click(screen.getByRole('menuitem', { name: answer }));
}

const nudge = () => screen.queryByRole('button', { name: /^Nudge/ });

test('answers page: the lists that can be nudged have the button that nudges them [NUDGE-03]', async () => {
  show([bob], { list: 'silent', event: { silent_count: 2, my_answer: 'going' } });
  expect(nudge()?.textContent).toBe('Nudge 2');
  server.respond = () => success({ nudged: 2 });
  await press('Nudge 2');
  expect(server.sent).toEqual([{ call: 'POST /api/v1/events/tuesday-run/nudge', body: { to: 'silent' } }]);
  for (const shown of [
    { list: 'going' },
    { list: 'silent', event: { silent_count: 1, my_answer: null } },
    { list: 'silent', event: { silent_count: 2, deleted_at: run.start_time } },
    { list: 'silent', event: { silent_count: 2, polling: true } },
  ] as const) {
    cleanup();
    show([bob], shown);
    expect(nudge()).toBeNull();
  }
});

test('answers page: a phone beside a name calls the member in one tap, and then shows the number [CONTACT-05]', async () => {
  const assign = vi.fn<(path: string) => void>();
  vi.stubGlobal('location', { href: location.href, origin: location.origin, assign });
  show([host, { ...bob, last_name: 'Berg', can_call: true }]);
  server.respond = () => success({ phone: '+49 (30) 123-456' });
  await press('Call Bob Berg');
  const path = `/api/v1/clubs/${run.owner_club_id}/members/id-of-bob/contact`;
  expect(server.sent).toEqual([{ call: `POST ${path}`, body: {} }]);
  expect(assign.mock.calls).toEqual([['tel:+4930123456']]);
  const link = screen.getByRole('link', { name: 'Call Bob Berg, +49 (30) 123-456' });
  expect([link.textContent, link.getAttribute('href')]).toEqual(['+49 (30) 123-456', 'tel:+4930123456']);
  expect(screen.queryByRole('button', { name: 'Call Ada' })).toBeNull();
});

test('answers page: a number that is hidden meanwhile is not called, and a toast says so [CONTACT-05]', async () => {
  show([{ ...bob, can_call: true }]);
  server.respond = () => failure(404);
  await press('Call Bob');
  await vi.waitFor(() => expect(openToasts()).toEqual(['No number for Bob']));
});

test('answers page: shows the question, the sums of the replies, and the reply of each person [REPLY-03]', () => {
  const counts = [
    { reply: 'Vegetarian', n: 4 },
    { reply: 'Vegan', n: 2 },
    { reply: '', n: 3 },
  ];
  const menu = { question: 'Which menu?', choices: ['Vegetarian', 'Vegan'], reply_counts: counts };
  show([{ ...bob, reply: 'Vegan', note: 'By bike' }], { event: menu });
  expect(screen.getByRole('heading', { name: 'Which menu?' })).toBeDefined();
  expect(screen.getByText('Vegetarian 4 · Vegan 2 · No reply 3')).toBeDefined();
  expect(rows('Going')).toEqual([expect.stringMatching(/Bob.*VeganBy bike3h ago$/)]);
  cleanup();
  show([bob], { event: { ...menu, reply_counts: [{ reply: null, n: 1 }, ...counts.slice(2)] } });
  expect(screen.getByText('Other 1 · No reply 3')).toBeDefined();
  cleanup();
  show([bob], { event: { ...menu, choices: [], reply_counts: [{ reply: null, n: 1 }, ...counts.slice(2)] } });
  expect(screen.getByText('Replies 1 · No reply 3')).toBeDefined();
  cleanup();
  show([bob]);
  expect(screen.queryByText(/No reply/)).toBeNull();
});

test('answers page: Print prints all people on the list with guests, replies and notes, and the sums of the replies [LIST-04]', async () => {
  const print = vi.fn();
  vi.stubGlobal('print', print);
  show([bob], {
    event: { question: 'Which menu?', choices: ['Vegan'], reply_counts: [{ reply: 'Vegan', n: 1 }] },
  });
  server.read = (path) =>
    success(
      path.includes('/sections')
        ? []
        : path.includes('after=next')
          ? { answers: [{ ...bob, id: 'id-of-cyd', first_name: 'Cyd' }], more: null }
          : { answers: [{ ...bob, guests: 2, reply: 'Vegan', note: 'By bike' }], more: 'next' },
    );
  await press('Print');
  await vi.waitFor(() => expect(print).toHaveBeenCalledOnce());
  const printed = document.querySelector('[data-printed]');
  expect([...(printed?.children ?? [])].map(({ textContent }) => textContent)).toEqual([
    'Going: Tuesday run',
    'Monday 8 June 2099, 6:30 pm · Which menu? Vegan 1',
    'Bob · +2 · Vegan · By bikeCyd',
  ]);
});

test('answers page: a list that cannot be read is not printed [LIST-04]', async () => {
  const print = vi.fn();
  vi.stubGlobal('print', print);
  show([bob]);
  await press('Print');
  await vi.waitFor(() => expect(openToasts()).toEqual(["The list wasn't loaded"]));
  expect(print).not.toHaveBeenCalled();
});

test('answers page: without a network, no list is printed or downloaded', async () => {
  const print = vi.fn();
  vi.stubGlobal('print', print);
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  show([bob]);
  await press('Print');
  await press('Download list');
  expect(screen.getByText("You're offline. Try again when you're connected.")).toBeDefined();
  expect([print.mock.calls, server.sent]).toEqual([[], []]);
  onLine.mockRestore();
});

test('answers page: Download list saves the file of the server [LIST-01]', async () => {
  const saved: string[] = [];
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:file');
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  show([bob]);
  server.respond = () => success({ file_name: 'answers.csv', content: '' });
  await press('Download list');
  await vi.waitFor(() => expect(saved).toEqual(['answers.csv']));
  expect(server.sent).toEqual([{ call: 'POST /api/v1/events/tuesday-run/answers/export', body: {} }]);
});

test('answers page: a row shows the guests, the note, the time of the answer, and who answered for the member [ANSWER-18]', () => {
  const answered_by = { first_name: 'Ana', last_name: '' };
  show([
    host,
    { ...bob, guests: 2, note: 'By bike' },
    { ...bob, id: 'id-of-cyd', first_name: 'Cyd', via: 'runner', answered_by },
    { ...bob, id: 'id-of-dan', first_name: 'Dan', via: 'runner' },
  ]);
  expect(rows('Going')).toEqual([
    expect.stringMatching(/Ada \(you\)Host/),
    expect.stringMatching(/Bob\+2\+ 2 guests.*By bike3h ago$/),
    expect.stringMatching(/Cyd.*3h ago · answered by Ana$/),
    expect.stringMatching(/Dan.*answered by Someone$/),
  ]);
});

test('answers page: the numbers link to the lists, and the link of the open list is marked', () => {
  show([bob], { list: 'no', event: { user_count: 31, guest_count: 4, no_count: 1, silent_count: 12 } });
  const links = within(screen.getByRole('navigation', { name: 'Answers' })).getAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')?.split('?')[1]])).toEqual([
    ['31 Going + 4 guests', 'list=going'],
    ['0 Maybe ', 'list=maybe'],
    ["1 Can't go ", 'list=no'],
    ['12 No answer ', 'list=silent'],
  ]);
  expect(links.map((link) => link.getAttribute('aria-current'))).toEqual([null, null, 'page', null]);
});

describe('answer for a member', () => {
  test('is sent, announced and shown in the row, which stays in its place [ANSWER-17]', async () => {
    server.respond = () =>
      success({ answer: 'no', guests: 0, note: 'By bike', user_count: 1, guest_count: 0 });
    show([{ ...bob, guests: 2, note: 'By bike' }]);
    await answerFor('Bob', "Can't go");
    await vi.waitFor(() => expect(openToasts()).toEqual(["Bob can't go"]));
    expect(server.sent).toEqual([
      { call: 'PUT /api/v1/events/id-of-run/answers/id-of-bob', body: { answer: 'no' } },
    ]);
    expect(rows('Going')).toEqual(["BobCan't goBy bike"]);
    expect(menus()[0]?.textContent).toBe("Can't go");
    await vi.waitFor(() => expect(document.activeElement).toBe(menus()[0]));
  });

  test('choosing the current answer again sends nothing', async () => {
    show([bob]);
    await answerFor('Bob', 'Going');
    expect(server.sent).toEqual([]);
  });

  test('a failure shows an error, and the answer stays', async () => {
    server.respond = () => Response.json({ data: null, status: 409, error: 'event_ended' }, { status: 409 });
    show([{ ...bob, answered_at: null, via: null }], { list: 'silent' });
    await answerFor('Bob', 'Maybe');
    await expectToast("The answer wasn't saved", 'This event is over.');
    expect(menus()[0]?.textContent).toBe('Answer');
  });

  test('is not sent while the device is offline, and the page says so', async () => {
    show([bob]);
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    act(() => void window.dispatchEvent(new Event('offline')));
    await answerFor('Bob', 'Maybe');
    expect(screen.getByRole('alert').textContent).toMatch(/offline/);
    expect([server.sent, openToasts()]).toEqual([[], []]);
    online.mockRestore();
    act(() => void window.dispatchEvent(new Event('online')));
  });

  test('is not offered for the host, or for anyone if the event has ended or is cancelled', () => {
    show([host, bob]);
    expect(menus()).toHaveLength(1);
    for (const event of [
      { end_time: '2020-01-01T00:00:00.000Z' },
      { deleted_at: '2026-01-01T00:00:00.000Z' },
    ]) {
      cleanup();
      show([host, bob], { event });
      expect(menus()).toEqual([]);
    }
  });
});

test.each([
  ['going', 'No one is going'],
  ['maybe', 'No one said maybe'],
  ['no', "No one said they can't go"],
  ['silent', 'Everybody has answered'],
] as const)('answers page: the list "%s" says “%s” when it is empty', (list, text) => {
  show([], { list });
  expect(screen.getByText(text)).toBeDefined();
});

test('answers page: shows more of a long list on request, and each member only once', async () => {
  show([bob], { more: 'cursor' });
  const cyd = { ...bob, id: 'id-of-cyd', first_name: 'Cyd' };
  const urls: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    urls.push(url);
    return success({ answers: [bob, cyd], more: null });
  });
  await press('Show more');
  await screen.findByText('Cyd');
  expect(urls[0]).toBe('/api/v1/events/tuesday-run/answers?state=going&after=cursor');
  expect(rows('Going')).toHaveLength(2);
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
});

test('answers page: shows an error with a button to try again if the list cannot be loaded', async () => {
  renderPage(<AnswersPage />, {
    route: '/app/events/:slug/answers',
    path: '/app/events/tuesday-run/answers',
  });
  await screen.findByText("We couldn't load the answers");
  vi.stubGlobal('fetch', async () => success({ answers: [bob], more: null }));
  await press('Try again');
  await screen.findByText('Bob');
});

test('answers page: is for admins and the host only', () => {
  const clubs = ada.clubs.map((club) => ({ ...club, club_role: 100 as const }));
  show([bob], { user: { ...ada, clubs } });
  expect(screen.getByText('Only the hosts can see the answers')).toBeDefined();
  expect(screen.getByRole('link').getAttribute('href')).toBe('/app/clubs/rowers');
  expect(screen.queryByText('Bob')).toBeNull();
  cleanup();
  show([bob], { user: { ...ada, clubs }, event: { my_role: 'organiser' } });
  expect(rows('Going')).toHaveLength(1);
});

const fullEvent = { capacity: 2, user_count: 2, seats_left: 0, waiting_count: 1 };
const cydWaits = { ...bob, id: 'id-of-cyd', first_name: 'Cyd', attendee_role: null, place: 1 };

const give = async (label: string, event: Partial<ClubEvent>, member: MemberAnswer, list: AnswerList) => {
  server.respond = () => success({ answer: 'going', guests: 0, note: '' });
  show([member], { list, event });
  await answerFor(member.first_name, label);
  await vi.waitFor(() => expect(openToasts()).toContain(`${member.first_name} is going`));
  return server.sent[0]?.body;
};

describe('seats', () => {
  test('the waitlist shows ranks, and an answer with an extra seat is marked [SEATS-12]', () => {
    show(
      [cydWaits, { ...cydWaits, id: 'id-of-dan', first_name: 'Dan', place: 2, guests: 1, lets_pass: true }],
      {
        list: 'waiting',
        event: fullEvent,
      },
    );
    expect(rows('Waitlist')).toEqual([
      expect.stringMatching(/^1\. Cyd/),
      expect.stringMatching(/^2\. Dan.*Lets others go first/),
    ]);
    cleanup();
    show([bob, { ...bob, id: 'id-of-eve', first_name: 'Eve', over: true }], { event: fullEvent });
    expect(rows('Going')).toEqual([
      expect.not.stringContaining('extra seat'),
      expect.stringContaining('extra seat'),
    ]);
  });

  test('a free seat can be given to a member on the waitlist, out of turn [SEATS-12]', async () => {
    expect(
      await give('Give seat', { ...fullEvent, seats_left: 1, user_count: 1 }, cydWaits, 'waiting'),
    ).toEqual({
      answer: 'going',
    });
  });

  test.each(['waiting', 'maybe'] as const)(
    'an extra seat is given to a member whose answer is %s [SEATS-12]',
    async (list) => {
      expect(await give('Give extra seat', fullEvent, { ...cydWaits, place: null }, list)).toEqual({
        answer: 'going',
        over: true,
      });
    },
  );

  test('an empty waitlist says that no one is waiting', () => {
    show([], { list: 'waiting' });
    expect(screen.getByText('No one is waiting')).toBeDefined();
  });
});

const hoursAgo = (hours: number) => instant(Date.now() - hours * 3_600_000);

test('answers: the rows that changed since the last visit are marked as new, except the own one [LATE-02]', async () => {
  localStorage.setItem('visits', JSON.stringify({ [run.id]: { last: hoursAgo(2), before: null } }));
  const mia = { ...bob, id: 'id-of-mia', first_name: 'Mia', changed_at: hoursAgo(1) };
  show([{ ...host, changed_at: hoursAgo(1) }, bob, mia]);
  const rows = await screen.findAllByRole('listitem');
  expect(
    rows.filter((row) => within(row).queryByText('New')).map((row) => row.textContent?.slice(0, 4)),
  ).toEqual([expect.stringContaining('Mia')]);
  localStorage.removeItem('visits');
});
