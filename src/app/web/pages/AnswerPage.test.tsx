import { renderToStaticMarkup } from 'react-dom/server';
import { StaticRouter } from 'react-router';
import { expect, test } from 'vitest';
import type { LinkedAnswer } from '#features/events/answers/contract.ts';
import { hueOf } from '#wire/hue.ts';
import AnswerPage from './AnswerPage.tsx';
import type { AnswerForm, AnswerView } from './answer/sentences.ts';

const link: LinkedAnswer = {
  slug: 'tuesday-run',
  name: 'Tuesday run',
  owner_club_id: 'rowers',
  club_name: 'Harbour Rowers',
  location_name: 'Pier 3',
  start_time: '2026-11-24T18:00:00.000Z',
  end_time: '2026-11-24T19:30:00.000Z',
  time_zone: 'Europe/Berlin',
  reader: { language: 'en', clock: 'auto', time_zone: null },
  my_role: null,
  my_answer: null,
  my_guests: 0,
  my_place: null,
  seats_left: null,
  waiting_count: 0,
  first_name: 'Bob',
  choices: ['going', 'maybe', 'no'],
  repeats: null,
  my_standing: null,
  guests_max: 0,
  closed: false,
};

/** Puts the page into the document, as the server renders it. */
function show(view: AnswerView): void {
  document.body.innerHTML = renderToStaticMarkup(
    <StaticRouter location="/answer">
      <AnswerPage {...view} />
    </StaticRouter>,
  );
}
const showLink = (changes: Partial<LinkedAnswer> = {}, more: Omit<AnswerForm, 'link'> = {}) =>
  show({ link: { ...link, ...changes }, ...more });

const all = <Kind extends HTMLElement>(selector: string) => [
  ...document.querySelectorAll<Kind>(`main ${selector}`),
];
const texts = (selector: string) => all(selector).map(({ textContent }) => textContent);
const links = () =>
  all<HTMLAnchorElement>('.w-full a, a.w-full').map((a) => [a.textContent, a.getAttribute('href')]);
const radios = () => all<HTMLInputElement>('input[type=radio]');
const marked = () =>
  radios()
    .filter(({ checked }) => checked)
    .map(({ value }) => value);
const possible = () =>
  radios()
    .filter(({ disabled }) => !disabled)
    .map(({ value }) => value);
/** The text below the question. */
const state = () => texts('legend + p');

test('answer page: shows the member and the event, and only preselects the answer of the link [LINK-02 LINK-03]', () => {
  showLink({}, { marked: 'no' });
  expect([...texts('h1'), ...texts('legend'), ...state(), ...texts('button')]).toEqual([
    'Tuesday run',
    'Bob, are you coming?',
    "You haven't answered yet.",
    'Confirm',
  ]);
  const page = document.body.textContent;
  for (const text of ['Harbour Rowers', 'Tuesday 24 November 2026', '7:00 pm to 8:30 pm', 'Pier 3'])
    expect(page).toContain(text);
  expect(marked()).toEqual(['no']);
  expect(texts('[role=status]')).toEqual([]);
  expect(document.querySelectorAll('script, noscript')).toHaveLength(0);
  // Confirm sends the marked answer.
  const form = document.querySelector('form') as HTMLFormElement;
  expect(form.method).toBe('post');
  expect([...new FormData(form)]).toEqual([['answer', 'no']]);
});

test('answer page: the name of the club is in the colour of the club [LINK-03]', () => {
  showLink();
  const [club] = all('[data-hue]');
  expect(club?.textContent).toBe('Harbour Rowers');
  expect(club?.dataset['hue']).toBe(`${hueOf(link.owner_club_id)}`);
});

test('answer page: the form needs an answer, and offers guests where they are allowed [LINK-04]', () => {
  showLink({ guests_max: 2, my_guests: 1 });
  expect(marked()).toEqual([]);
  expect(radios().every(({ required }) => required)).toBe(true);
  expect(texts('option')).toEqual(['Just me', '1 guest', '2 guests']);
  expect(document.querySelector('select')?.value).toBe('1');
  showLink();
  expect(texts('select')).toEqual([]);
});

test.each<[Partial<LinkedAnswer>, string]>([
  [{ my_answer: 'going' }, "You're going to Tuesday run, Tue 24 Nov, 7:00 pm."],
  [{ my_answer: 'going', my_guests: 2 }, "You're going to Tuesday run, Tue 24 Nov, 7:00 pm, with 2 guests."],
  [{ my_answer: 'maybe' }, 'You said maybe to Tuesday run, Tue 24 Nov, 7:00 pm.'],
  [{ my_answer: 'no' }, "You can't go to Tuesday run, Tue 24 Nov, 7:00 pm."],
  [{ my_answer: null }, "Taken back. You haven't answered yet."],
  [
    { my_answer: 'waiting', my_place: 2, seats_left: 0 },
    "Tuesday run, Tue 24 Nov, 7:00 pm, is full. You're number 2 on the waitlist.",
  ],
])(
  'answer page: after saving %j, the current answer is shown and has the focus [LINK-04 LINK-05]',
  (answer, text) => {
    showLink(answer, { isSaved: true, undo: 'before' });
    expect(texts('[role=status] [autofocus]')).toEqual([text]);
    expect(texts('legend')).toEqual(['Changed your mind?']);
    expect(marked()).toEqual([answer.my_answer === 'waiting' ? 'going' : answer.my_answer].filter(Boolean));
    expect(texts('[role=status] button')).toEqual(['Undo']);
    expect(links()).toEqual([['Open the event', '/app/events/tuesday-run']]);
  },
);

test('answer page: offers no undo without an undo token [LINK-04]', () => {
  showLink({ my_answer: 'no' }, { isSaved: true });
  expect(texts('button')).toEqual(['Confirm']);
});

test.each([
  ['not_found', "This link doesn't work any more", 'Log in to answer, or use the link in a newer email.'],
  ['bad_input', "This link doesn't work any more", 'Log in to answer, or use the link in a newer email.'],
  ['event_ended', 'This event is over', "You can't answer it any more. Log in to see who was there."],
  [
    'event_cancelled',
    'This event has been cancelled',
    "You don't need to answer. Log in to see other events.",
  ],
])('answer page: %s explains the problem and links to the login [LINK-11]', (problem, title, text) => {
  show({ problem });
  expect([...texts('h1'), ...texts('h1 + p')]).toEqual([title, text]);
  expect(links()).toEqual([['Go to login', '/login']]);
});

test.each([
  ['offline', "You're offline", 'Connect to the internet to answer.'],
  ['broken', 'Something went wrong', 'Try again in a moment.'],
  ['too_often', 'Too many attempts', 'Wait a minute and try again.'],
])('answer page: %s explains the problem and offers a reload [LINK-11]', (problem, title, text) => {
  show({ problem });
  expect([...texts('h1'), ...texts('h1 + p')]).toEqual([title, text]);
  expect(links()).toEqual([['Try again', '']]);
});

test.each<[string, Partial<LinkedAnswer>, string, string[]]>([
  [
    "a member who is not going cannot choose 'going'",
    { choices: ['no'] },
    'Sign-up has closed. Open the event to see who is coming.',
    [],
  ],
  [
    "a member who is going can only change to 'no'",
    { my_answer: 'going', choices: ['going', 'no'] },
    "Sign-up has closed. You can still say that you can't go.",
    ['going'],
  ],
  [
    "a member whose answer is 'no' sees this answer",
    { my_answer: 'no', choices: ['no'] },
    "Sign-up has closed, and you can't go.",
    [],
  ],
])('answer page: when sign-up has closed, %s [LINK-11]', (_who, answer, text, markedAnswers) => {
  showLink({ ...answer, closed: true }, { marked: 'going' });
  expect(state()).toEqual([text]);
  expect(possible()).toEqual(answer.choices);
  expect(marked()).toEqual(markedAnswers);
});

test.each<[string, Partial<LinkedAnswer>, string]>([
  ['seats are left', { seats_left: 2 }, "You haven't answered yet. 2 seats are left."],
  [
    'the event is full',
    { seats_left: 0, waiting_count: 4 },
    "You haven't answered yet. This event is full. If you can come, you join the waitlist, with 4 ahead of you.",
  ],
  [
    'the event is full and has no waitlist',
    { seats_left: 0, choices: ['maybe', 'no'] },
    "You haven't answered yet. This event is full. You can still say maybe.",
  ],
  [
    'the member is on the waitlist',
    { my_answer: 'waiting', my_place: 3, seats_left: 0, waiting_count: 5 },
    "Right now you're number 3 on the waitlist.",
  ],
])('answer page: says how full the event is when %s [LINK-03 LINK-11]', (_when, part, text) => {
  showLink(part);
  expect(state()).toEqual([text]);
});

test('answer page: a failure keeps the choice and is announced', () => {
  showLink({ my_answer: 'no' }, { marked: 'going', failure: { code: 'event_full', isUndo: false } });
  expect(texts('[role=alert][autofocus]')).toEqual(["Your answer wasn't saved. This event is full."]);
  expect(marked()).toEqual(['going']);
});

test('answer page: tells a host why there is nothing to choose, and lets the host save guests', () => {
  const host = {
    my_role: 'organiser',
    my_answer: 'going',
    choices: ['going'],
  } satisfies Partial<LinkedAnswer>;
  showLink(host, { marked: 'no' });
  expect(state()).toEqual(["You're the host, so you're going. To change that, open the event."]);
  expect([marked(), texts('button')]).toEqual([['going'], []]);
  showLink({ ...host, guests_max: 3 });
  expect(texts('button')).toEqual(['Confirm']);
});
