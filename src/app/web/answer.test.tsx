import { renderToStaticMarkup } from 'react-dom/server';
import { StaticRouter } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LinkedAnswer } from '#features/answers/contract.ts';
import AnswerPage from './pages/AnswerPage.tsx';

const link: LinkedAnswer = {
  slug: 'tuesday-run',
  name: 'Tuesday run',
  club_name: 'Harbour Rowers',
  location_name: 'Pier 3',
  start_time: '2026-11-24T18:00:00.000Z',
  end_time: '2026-11-24T19:30:00.000Z',
  time_zone: 'Europe/Berlin',
  my_role: null,
  my_answer: null,
  my_guests: 0,
  my_place: null,
  seats_left: null,
  waiting_count: 0,
  first_name: 'Bob',
  choices: ['going', 'maybe', 'no'],
  guests_max: 0,
  closed: false,
};

/** What the page has sent, and what the server responds to the next requests. */
const sent: { method: string; url: string; body: unknown }[] = [];
let respond: (body: Record<string, unknown> | undefined) => Response | Promise<Response>;

const success = (data: object) => Response.json({ data, status: 200, error: null });
const failure = (status: number, error: string, message = '') =>
  Response.json({ data: null, status, error, message }, { status });

beforeEach(() => {
  sent.length = 0;
  respond = (body) =>
    success(
      body ? { ...link, my_answer: body['answer'] ?? null, undo: body['undo'] ? null : 'before' } : link,
    );
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body }: RequestInit = {}) => {
    const input = body ? (JSON.parse(String(body)) as Record<string, unknown>) : undefined;
    sent.push({ method, url, body: input });
    return respond(input);
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The static page as the server sends it, opened by the link for an answer. */
async function open(answer?: string): Promise<void> {
  document.body.innerHTML = renderToStaticMarkup(
    <StaticRouter location="/answer">
      <AnswerPage />
    </StaticRouter>,
  );
  window.history.replaceState(null, '', `/answer/the-token${answer ? `?a=${answer}` : ''}`);
  vi.resetModules();
  await import('./answer.ts');
  await vi.waitFor(() => expect(part('loading').hidden).toBe(true));
}

const part = (name: string) => document.querySelector<HTMLElement>(`[data-part="${name}"]`) as HTMLElement;
/** The texts of what is shown. */
const shown = (...names: string[]) =>
  names.map((name) => (part(name).closest('[hidden]') ? null : part(name).textContent));
const radio = (answer: string) =>
  document.querySelector<HTMLInputElement>(`input[value=${answer}]`) as HTMLInputElement;
const marked = () =>
  [...document.querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => value);
const press = async (name: string) => {
  const before = sent.length;
  part(name).click();
  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(before));
  await vi.waitFor(() => expect(part('confirm').ariaBusy).toBeNull());
};

test('answer page: shows whom and what it is about, and only marks the answer of the link [LINK-02]', async () => {
  await open('no');
  expect(shown('club', 'name', 'day', 'times', 'place', 'question', 'state', 'confirm')).toEqual([
    'Harbour Rowers',
    'Tuesday run',
    'Tuesday 24 November 2026',
    '7:00 pm to 8:30 pm (Europe/Berlin)',
    'Pier 3',
    'Bob, are you coming?',
    "You haven't answered yet.",
    'Confirm',
  ]);
  expect(marked()).toEqual(['no']);
  expect(sent).toEqual([{ method: 'GET', url: '/api/v1/answer-links/the-token', body: undefined }]);
  expect(shown('saved', 'problem', 'guests')).toEqual([null, null, null]);
});

test('answer page: the button sends the answer of the link, without another choice', async () => {
  await open('no');
  await press('confirm');
  expect(sent.at(-1)).toEqual({
    method: 'POST',
    url: '/api/v1/answer-links/the-token',
    body: { answer: 'no' },
  });
  expect(shown('saved-text')).toEqual(["You can't go to Tuesday run, Tue 24 Nov, 7:00 pm."]);
});

test('answer page: afterwards says what holds, and offers the other answers, guests and the event [LINK-04]', async () => {
  respond = (body) =>
    success({
      ...link,
      guests_max: 2,
      my_answer: body?.['answer'] ?? null,
      my_guests: Number(body?.['guests'] ?? 0),
      ...(body && { undo: 'before' }),
    });
  await open('going');
  expect([...document.querySelectorAll('option')].map((option) => option.textContent)).toEqual([
    'Just me',
    '1 guest',
    '2 guests',
  ]);
  await press('confirm');
  expect(sent.at(-1)?.body).toEqual({ answer: 'going', guests: 0 });
  expect(shown('saved-text', 'undo', 'confirm')).toEqual([
    "You're going to Tuesday run, Tue 24 Nov, 7:00 pm.",
    'Undo',
    null,
  ]);
  expect(document.activeElement).toBe(part('saved-text'));
  expect(part('open').getAttribute('href')).toBe('/app/events/tuesday-run');
  const guests = part('guests') as HTMLSelectElement;
  guests.value = '2';
  guests.dispatchEvent(new Event('change'));
  await press('confirm');
  expect(sent.at(-1)?.body).toEqual({ answer: 'going', guests: 2 });
  expect(shown('saved-text')).toEqual(["You're going to Tuesday run, Tue 24 Nov, 7:00 pm, with 2 guests."]);
  radio('maybe').click();
  expect(shown('confirm')).toEqual(['Confirm']);
  await press('confirm');
  expect(shown('saved-text')).toEqual(['You said maybe to Tuesday run, Tue 24 Nov, 7:00 pm.']);
});

test('answer page: undo restores what was before, for ten seconds [LINK-04]', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  await open('maybe');
  await press('confirm');
  await press('undo');
  expect(sent.at(-1)?.body).toEqual({ undo: 'before' });
  expect(shown('saved-text', 'undo', 'confirm')).toEqual([
    'Taken back. You have no answer to Tuesday run, Tue 24 Nov, 7:00 pm.',
    null,
    null,
  ]);
  radio('going').click();
  await press('confirm');
  vi.advanceTimersByTime(9000);
  expect(shown('undo')).toEqual(['Undo']);
  part('undo').focus();
  vi.advanceTimersByTime(1100);
  expect(shown('undo')).toEqual([null]);
  expect(document.activeElement).toBe(part('saved-text'));
});

test('answer page: without an answer in the link, the button waits for one', async () => {
  await open();
  expect([marked(), (part('confirm') as HTMLButtonElement).disabled]).toEqual([[], true]);
  radio('maybe').click();
  expect((part('confirm') as HTMLButtonElement).disabled).toBe(false);
});

test.each([
  [
    404,
    'not_found',
    "This link doesn't work any more",
    'Log in to answer, or use the link in a newer email.',
  ],
  [409, 'event_ended', 'This event is over', "You can't answer it any more. Log in to see who was there."],
  [
    409,
    'event_cancelled',
    'This event has been cancelled',
    "You don't need to answer. Log in to see other events.",
  ],
])(
  'answer page: %i %s says what is the matter and leads to the login [LINK-11]',
  async (status, error, title, text) => {
    respond = () => failure(status, error);
    await open('going');
    expect(shown('problem-title', 'problem-text', 'login', 'retry', 'event')).toEqual([
      title,
      text,
      'Go to login',
      null,
      null,
    ]);
    // The same while it is open.
    respond = (body) => (body ? failure(status, error) : success(link));
    await open('going');
    await press('confirm');
    expect(shown('problem-title', 'event')).toEqual([title, null]);
  },
);

test.each([
  [
    'the device is offline',
    () => Promise.reject(new TypeError('Failed to fetch')),
    "You're offline",
    'Connect to the internet to answer.',
  ],
  [
    'the server fails',
    () => new Response('<html>', { status: 502 }),
    'Something went wrong',
    'Try again in a moment.',
  ],
  [
    'there were too many',
    () => failure(429, 'too_often', 'Wait.'),
    'Too many attempts',
    'Wait a minute and try again.',
  ],
])('answer page: offers another try when %s', async (_when, failing, title, text) => {
  respond = failing;
  await open('going');
  expect(shown('problem-title', 'problem-text', 'retry', 'login')).toEqual([title, text, 'Try again', null]);
  respond = () => success(link);
  part('retry').click();
  await vi.waitFor(() => expect(shown('name')).toEqual(['Tuesday run']));
  respond = failing;
  await press('confirm');
  expect(shown('not-saved')[0]).toMatch(/^Your answer wasn't saved\. \S+/);
  expect(marked()).toEqual(['going']);
});

test.each<[string, Partial<LinkedAnswer>, string, boolean]>([
  [
    'nobody who is not going can answer',
    { choices: ['no'] },
    'Sign-up has closed. Open the event to see who is coming.',
    true,
  ],
  [
    'one who is going can only take it back',
    { my_answer: 'going', choices: ['going', 'no'] },
    "Sign-up has closed. You can still say that you can't go.",
    false,
  ],
  [
    "one who can't go is told so",
    { my_answer: 'no', choices: ['no'] },
    "Sign-up has closed, and you can't go.",
    true,
  ],
])('answer page: when sign-up has closed, %s [LINK-11]', async (_who, answer, text, isDisabled) => {
  respond = () => success({ ...link, ...answer, closed: true });
  await open('going');
  expect(shown('state')).toEqual([text]);
  expect(radio('going').disabled).toBe(isDisabled);
  expect((part('confirm') as HTMLButtonElement).disabled).toBe(isDisabled);
});

test.each<[string, Partial<LinkedAnswer>, string]>([
  ['seats are left', { seats_left: 2 }, "You haven't answered yet. 2 seats are left."],
  [
    'it is full',
    { seats_left: 0, waiting_count: 4 },
    "You haven't answered yet. This event is full. If you can come, you join the waitlist, with 4 ahead of you.",
  ],
  [
    'it is full and has no waitlist',
    { seats_left: 0, choices: ['maybe', 'no'] },
    "You haven't answered yet. This event is full. You can still say maybe.",
  ],
  [
    'one waits',
    { my_answer: 'waiting', my_place: 3, seats_left: 0, waiting_count: 5 },
    "Right now you're number 3 on the waitlist.",
  ],
])('answer page: says how full the event is when %s [LINK-03 LINK-11]', async (_when, part, text) => {
  respond = () => success({ ...link, ...part });
  await open();
  expect(shown('state')).toEqual([text]);
});

test('answer page: says so when the seat that is wanted back is gone [LINK-05]', async () => {
  await open('no');
  await press('confirm');
  respond = () => success({ ...link, my_answer: 'waiting', my_place: 2, seats_left: 0, undo: null });
  await press('undo');
  expect(shown('saved-text')).toEqual([
    "Tuesday run, Tue 24 Nov, 7:00 pm, is full. You're number 2 on the waitlist.",
  ]);
  expect(marked()).toEqual(['going']);
});

test('answer page: tells a host why there is nothing to choose', async () => {
  respond = () => success({ ...link, my_role: 'organiser', my_answer: 'going', choices: ['going'] });
  await open('no');
  expect(shown('state', 'confirm')).toEqual([
    "You're the host, so you're going. To change that, open the event.",
    null,
  ]);
  expect(marked()).toEqual(['going']);
});

test('answer page: without scripts it says how to answer instead [LINK-11]', () => {
  const page = renderToStaticMarkup(
    <StaticRouter location="/answer">
      <AnswerPage />
    </StaticRouter>,
  );
  expect(page).toMatch(
    /<noscript><p[^>]*>Answering here needs JavaScript\. <a href="\/login"[^>]*>Log in<\/a> to answer\.<\/p><\/noscript>/,
  );
});
