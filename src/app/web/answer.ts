import '#ui/theme.css';
import type { LinkedAnswer } from '#features/answers/contract.ts';
import { dateTile, dayKey, fullDate, sameClock, time12h } from '#ui/format.ts';
import { t } from '#app/web/pages/answer/messages.ts';

/** The only script of the page that the answer links in emails open: it shows the answer, and sends it when confirmed. */

type Answer = LinkedAnswer['choices'][number];
type Saved = LinkedAnswer & { undo: string | null };

/** Milliseconds during which an answer can be taken back. */
const timeToUndo = 10_000;

const part = <Kind extends HTMLElement>(name: string) =>
  document.querySelector(`[data-part="${name}"]`) as Kind;

const radios = [...document.querySelectorAll<HTMLInputElement>('input[name=answer]')];
const guests = part<HTMLSelectElement>('guests');
const [confirm, undo] = [part<HTMLButtonElement>('confirm'), part<HTMLButtonElement>('undo')];

const write = (name: string, text: string) => part(name).replaceChildren(text);

/** Shows the elements by these names, or hides them. */
const show = (shown: Record<string, boolean>) => {
  for (const [name, isShown] of Object.entries(shown)) part(name).hidden = !isShown;
};

/** The code of an error response, or of no usable response. */
class ResponseError extends Error {
  readonly code: string;
  constructor(code: string, message = t('brokenText')) {
    super(message);
    this.code = code;
  }
}

async function send<Data>(body?: object): Promise<Data> {
  const token = location.pathname.split('/')[2] ?? '';
  const init = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`/api/v1/answer-links/${token}`, init).catch(() => {
    throw new ResponseError('offline', t('offlineText'));
  });
  const { data, error, message } = (await response.json().catch(() => ({ error: 'broken' }))) as {
    data?: Data;
    error?: string;
    message?: string;
  };
  if (!response.ok || !data) throw new ResponseError(error ?? 'broken', message);
  return data;
}

const problems: Record<string, [title: string, text: string]> = {
  not_found: [t('linkNotValid'), t('linkNotValidText')],
  event_ended: [t('over'), t('overText')],
  event_cancelled: [t('cancelled'), t('cancelledText')],
  too_often: [t('tooOften'), t('tooOftenText')],
  offline: [t('offline'), t('offlineText')],
};
const final = new Set(['not_found', 'event_ended', 'event_cancelled']);

function showProblem({ code }: ResponseError): void {
  const [title, text] = problems[code] ?? [t('broken'), t('brokenText')];
  write('problem-title', title);
  write('problem-text', text);
  show({ loading: false, event: false, problem: true, retry: !final.has(code), login: final.has(code) });
}

/** What the server says of the answer. */
let linked: LinkedAnswer;
let isConfirmed = false;

/** 'Tue 24 Nov, 7:00 pm', where the event takes place. */
function dayAndTime(time: string): string {
  const { weekday, day, month } = dateTile(time, linked.time_zone);
  return `${weekday} ${day} ${month}, ${time12h(time, linked.time_zone)}`;
}

/** '7:00 pm to 8:30 pm', with the time zone unless it is the reader's. */
function timesInWords(): string {
  const { start_time, end_time, time_zone } = linked;
  const isOneDay = dayKey(start_time, time_zone) === dayKey(end_time, time_zone);
  const start = time12h(start_time, time_zone);
  const end = isOneDay ? time12h(end_time, time_zone) : dayAndTime(end_time);
  const zone = sameClock(start_time, time_zone) ? '' : ` (${time_zone.replaceAll('_', ' ')})`;
  return t('until', { start, end }) + zone;
}

/** The choice that led to the answer: who waits for a seat wants to come. */
const given = () => (linked.my_answer === 'waiting' ? 'going' : linked.my_answer);

const chosen = () => radios.find(({ checked }) => checked)?.value as Answer | undefined;

/** The answer that stands, and why others cannot be given. */
function stateInWords(): string {
  const { closed, choices, my_answer } = linked;
  if (closed && my_answer === 'no') return t('closedAfterNo');
  if (closed) return my_answer && choices.includes('no') ? t('closedForMore') : t('closed');
  if (my_answer === 'waiting') return t('nowWaiting', { n: linked.my_place ?? 1 });
  const now = my_answer
    ? { going: t('nowGoing'), maybe: t('nowMaybe'), no: t('nowNo') }[my_answer]
    : t('noAnswerYet');
  return my_answer === 'going' ? now : `${now} ${seatsInWords()}`.trim();
}

/** How full the event is, if its seats are limited. */
function seatsInWords(): string {
  const { seats_left, waiting_count, choices } = linked;
  if (!choices.includes('going')) return t('fullWithoutWaitlist');
  if (seats_left === 0 || waiting_count > 0) return t('full', { n: waiting_count });
  return seats_left === null ? '' : t('seatsLeft', { n: seats_left });
}

function savedInWords(): string {
  const { name: event, my_answer, my_guests: n } = linked;
  const values = { event, when: dayAndTime(linked.start_time) };
  if (my_answer === 'going')
    return n > 0 ? t('savedGoingWithGuests', { ...values, n }) : t('savedGoing', values);
  if (my_answer === 'waiting') return t('savedWaiting', { ...values, n: linked.my_place ?? 1 });
  return my_answer ? t(my_answer === 'no' ? 'savedNo' : 'savedMaybe', values) : t('savedNone', values);
}

/** Shows what depends on the chosen answer. Once an answer is confirmed, only another one needs the button. */
function showChoice(): void {
  const answer = chosen();
  const canBring = (answer === 'going' || answer === 'maybe') && linked.guests_max > 0;
  const isSame = (answer ?? null) === given() && (!canBring || Number(guests.value) === linked.my_guests);
  show({ 'guests-field': canBring, confirm: linked.my_role !== 'organiser' || canBring });
  if (isConfirmed && isSame) confirm.hidden = true;
  confirm.disabled = !answer;
}

function showAnswer(mark: string | null): void {
  const { first_name: name, guests_max, my_guests, my_role, choices } = linked;
  const question = name ? t('areYouComing', { name }) : t('areYouComingNameless');
  write('question', isConfirmed ? t('changedYourMind') : question);
  write('state', my_role === 'organiser' ? t('hosting') : isConfirmed ? '' : stateInWords());
  // A host has no choice but may bring guests.
  const marked = my_role === 'organiser' ? 'going' : mark;
  for (const radio of radios) {
    radio.disabled = !choices.includes(radio.value as Answer);
    radio.checked = radio.value === marked && !radio.disabled;
  }
  guests.replaceChildren(
    ...Array.from({ length: guests_max + 1 }, (_, n) => new Option(t('guestsOption', { n }), String(n))),
  );
  guests.value = String(Math.min(my_guests, guests_max));
  showChoice();
}

function showEvent(): void {
  write('club', linked.club_name);
  write('name', linked.name);
  write('day', fullDate(linked.start_time, linked.time_zone));
  write('times', timesInWords());
  write('place', linked.location_name);
  part<HTMLAnchorElement>('open').href = `/app/events/${encodeURIComponent(linked.slug)}`;
  show({ loading: false, problem: false, event: true });
}

let undoStatement: string | null = null;
let undoTimer: ReturnType<typeof setTimeout> | undefined;

function offerUndo(statement: string | null): void {
  undoStatement = statement;
  undo.hidden = !statement;
  clearTimeout(undoTimer);
  undoTimer = setTimeout(() => {
    if (document.activeElement === undo) part('saved-text').focus();
    undo.hidden = true;
  }, timeToUndo);
}

let isSending = false;

/** Sends an answer, or takes one back, and says what holds now. */
async function save(body: object): Promise<void> {
  if (isSending) return;
  isSending = true;
  confirm.ariaBusy = 'true';
  write('not-saved', '');
  try {
    const { undo: statement, ...saved } = await send<Saved>(body);
    linked = saved;
    isConfirmed = true;
    showAnswer(given());
    write('saved-text', savedInWords());
    show({ saved: true });
    offerUndo(statement);
    part('saved-text').focus();
  } catch (error) {
    const failure = error as ResponseError;
    if (final.has(failure.code)) showProblem(failure);
    else write('not-saved', t('notSaved', { reason: failure.message }));
  }
  confirm.ariaBusy = null;
  isSending = false;
}

async function load(): Promise<void> {
  show({ loading: true, problem: false });
  try {
    linked = await send<LinkedAnswer>();
    showEvent();
    showAnswer(new URLSearchParams(location.search).get('a') ?? given());
  } catch (error) {
    showProblem(error as ResponseError);
  }
}

for (const field of [...radios, guests]) field.addEventListener('change', showChoice);
confirm.addEventListener('click', () => {
  void save({ answer: chosen(), ...(part('guests-field').hidden ? {} : { guests: Number(guests.value) }) });
});
undo.addEventListener('click', () => void save({ undo: undoStatement }));
part('retry').addEventListener('click', () => void load());
window.addEventListener('online', () => {
  if (!part('problem').hidden && !part('retry').hidden) void load();
});
void load();
