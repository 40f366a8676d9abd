import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Event } from '#features/events/contract.ts';
import EventPage from '#features/events/pages/web/EventPage.tsx';
import { showEvent } from '#features/events/web/useEvent.ts';
import { ada, failure, field, fill, press, renderPage, run, server, success } from '#test/render-page.tsx';

const going = {
  my_role: 'attendee',
  my_answer: 'going',
  guests_max: 3,
  user_count: 1,
  attendees: [{ ...ada, attendee_id: ada.id, attendee_role: 'attendee', guests: 0 }],
} satisfies Partial<Event>;
const closed = { entry_until_time: '2026-01-01T00:00:00.000Z' };

const show = (event: Partial<Event>) =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    event: { ...run, ...event },
  });

const guests = () => screen.queryByRole<HTMLInputElement>('spinbutton', { name: 'Guests' })?.value;
const count = () => screen.getByText(/^\d+ going/, { selector: 'p' }).textContent;
const put = (body: object) => ({ call: 'PUT /api/v1/events/tuesday-run/answer', body });
const tap = (name: 'More' | 'Less') => fireEvent.click(screen.getByRole('button', { name }));

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => vi.useRealTimers());

test.each([
  ['a member whose answer is going', going],
  ['a member whose answer is maybe', { ...going, my_role: null, my_answer: 'maybe' }],
  ['the host', { ...going, my_role: 'organiser' }],
  ['a member who added guests before the limit was lowered', { ...going, guests_max: 0, my_guests: 1 }],
] as const)('guests: the field is shown for %s [ANSWER-10]', (_, event) => {
  show(event);
  expect(guests()).toBe(String('my_guests' in event ? event.my_guests : 0));
});

test.each([
  ['a member without an answer', { guests_max: 3 }],
  ["a member whose answer is can't go", { guests_max: 3, my_answer: 'no' }],
  ['an event that allows no guests', { ...going, guests_max: 0 }],
  ['a cancelled event', { ...going, deleted_at: run.start_time }],
] as const)('guests: the field is not shown for %s', (_, event) => {
  show(event);
  expect(guests()).toBeUndefined();
});

test('guests: after an answer, the field is scrolled into view, where the bar of a phone does not cover it [ANSWER-10]', async () => {
  vi.useRealTimers();
  const scrolled: string[] = [];
  Element.prototype.scrollIntoView = function scrollIntoView() {
    scrolled.push(this.textContent);
  };
  server.respond = () => success({ my_answer: 'going', my_role: 'attendee', user_count: 1 });
  show({ guests_max: 3 });
  // Answered on another device: the page stays where it is.
  act(() => showEvent({ id: run.id, my_answer: 'maybe' }));
  expect(scrolled).toEqual([]);
  await press('Attend Event');
  await vi.waitFor(() => expect(scrolled).toEqual([expect.stringContaining('Guests')]));
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
});

test('guests: taps change the count at once, and one request saves them after the last tap [ANSWER-05]', async () => {
  server.respond = () => success({ my_answer: 'going', my_guests: 2, guest_count: 2, user_count: 1 });
  show(going);
  for (const name of ['More', 'More', 'More', 'Less'] as const) tap(name);
  expect(guests()).toBe('2');
  await act(() => vi.advanceTimersByTimeAsync(600));
  expect(count()).toBe('1 going + 2 guests');
  expect(server.sent).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(server.sent).toEqual([put({ answer: 'going', guests: 2 })]);
  expect(guests()).toBe('2');
});

test('guests: a lost connection shows an error and restores the number', async () => {
  server.respond = () => Promise.reject(new TypeError('Failed to fetch'));
  show({ ...going, my_guests: 1, guest_count: 1 });
  tap('More');
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(
    screen.getByText("Your guests weren't saved. An unexpected error occurred.").getAttribute('role'),
  ).toBe('alert');
  expect([guests(), count()]).toEqual(['1', '1 going + 1 guest']);
});

test('guests: a tap during a request is saved by another request after that one', async () => {
  const first = Promise.withResolvers<Response>();
  server.respond = () => first.promise;
  show(going);
  tap('More');
  await act(() => vi.advanceTimersByTimeAsync(1000));
  tap('More');
  server.respond = () => failure(500);
  first.resolve(success({ my_answer: 'going', my_guests: 1, guest_count: 1, user_count: 1 }));
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(server.sent).toEqual([put({ answer: 'going', guests: 1 }), put({ answer: 'going', guests: 2 })]);
  // The second request failed, so this is the number that the first one saved.
  expect([guests(), count()]).toEqual(['1', '1 going + 1 guest']);
});

test('guests: unsaved taps are saved when the page is left', async () => {
  show(going);
  tap('More');
  cleanup();
  await vi.waitFor(() => expect(server.sent).toEqual([put({ answer: 'going', guests: 1 })]));
});

test(`guests: the answer "can't go" discards an unsaved tap`, async () => {
  server.respond = () => success({ my_answer: 'no', my_role: null, my_guests: 0 });
  show({ ...going, my_role: null, my_answer: 'maybe' });
  tap('More');
  fireEvent.click(screen.getByRole('button', { name: "Can't go" }));
  await act(() => vi.advanceTimersByTimeAsync(2000));
  expect(server.sent.map(({ call }) => call)).toEqual(['POST /api/v1/events/tuesday-run/unattend']);
});

test(`guests: the answer "can't go" is sent only after a pending request has ended`, async () => {
  const saved = Promise.withResolvers<Response>();
  server.respond = () => saved.promise;
  show({ ...going, my_role: null, my_answer: 'maybe' });
  tap('More');
  await act(() => vi.advanceTimersByTimeAsync(1000));
  fireEvent.click(screen.getByRole('button', { name: "Can't go" }));
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(server.sent).toEqual([put({ answer: 'maybe', guests: 1 })]);
  const taken = Promise.withResolvers<Response>();
  server.respond = () => taken.promise;
  saved.reject(new TypeError('Failed to fetch'));
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(screen.getByRole('button', { pressed: true, name: "Can't go" })).toBeDefined();
  expect(server.sent[1]?.call).toBe('POST /api/v1/events/tuesday-run/unattend');
  taken.resolve(success({ my_answer: 'no', my_role: null }));
});

test('guests: the number can only be reduced after the cut-off [ANSWER-08]', () => {
  show({ ...going, ...closed, my_guests: 2 });
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'More' }).disabled).toBe(true);
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Less' }).disabled).toBe(false);
});

const note = 'Note to the hosts';

test('note: is saved when its field loses the focus, and shows "Saved" [ANSWER-07]', async () => {
  vi.useRealTimers();
  show(going);
  expect(field(note).maxLength).toBe(200);
  expect(field(note).closest('details')?.open).toBe(false);
  await fill(note, ' I bring cake. ');
  expect(server.sent).toEqual([]);
  server.respond = () => success({ my_answer: 'going' });
  await userEvent.tab();
  await screen.findByText('Saved');
  expect(server.sent).toEqual([put({ answer: 'going', note: 'I bring cake.' })]);
  await userEvent.click(field(note));
  await userEvent.tab();
  expect(server.sent).toHaveLength(1);
});

test('note: stays in its field if saving fails, and can be saved again', async () => {
  vi.useRealTimers();
  server.respond = () => Promise.reject(new TypeError('Failed to fetch'));
  show({ ...going, my_note: 'Before' });
  expect(field(note).closest('details')?.open).toBe(true);
  await fill(note, 'I bring cake.');
  await press('Save');
  const alert = await screen.findByText("Your note wasn't saved. An unexpected error occurred.");
  expect(alert.getAttribute('role')).toBe('alert');
  expect(field(note).value).toBe('I bring cake.');
  server.respond = () => success({ my_answer: 'going' });
  await press('Save');
  await screen.findByText('Saved');
  expect(server.sent).toHaveLength(2);
});

test('note: the field is hidden from the host, unless the host already has a note', () => {
  const hosting = { ...going, my_role: 'organiser' } satisfies Partial<Event>;
  show(hosting);
  expect(screen.queryByLabelText(note)).toBeNull();
  cleanup();
  show({ ...hosting, my_note: 'Before' });
  expect(field(note).value).toBe('Before');
});

test('note: needs a network', async () => {
  vi.useRealTimers();
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  show(going);
  await fill(note, 'I bring cake.');
  await press('Save');
  expect(screen.getByText("You're offline. Try again when you're connected.")).toBeDefined();
  expect(server.sent).toEqual([]);
  onLine.mockRestore();
});

test('note: a note written on another device is shown, and not overwritten when the field loses the focus [C23]', async () => {
  vi.useRealTimers();
  show(going);
  await userEvent.click(field(note));
  act(() => showEvent({ id: run.id, my_note: 'From my phone' }));
  await vi.waitFor(() => expect(field(note).value).toBe('From my phone'));
  await userEvent.tab();
  expect(server.sent).toEqual([]);
  await fill(note, 'I bring cake.');
  act(() => showEvent({ id: run.id, my_note: 'From my phone again' }));
  expect(field(note).value).toBe('I bring cake.');
});

test('guests: those of a host are folded under a heading of their own [ANSWER-10]', () => {
  show({ ...going, my_role: 'organiser' });
  const details = screen.getByText('Your answer', { selector: 'summary' }).closest('details');
  expect(details?.open).toBe(false);
  expect(details?.contains(screen.getByRole('spinbutton', { name: 'Guests' }))).toBe(true);
  cleanup();
  show({ ...going, my_role: 'organiser', guests_max: 0 });
  expect(screen.queryByText('Your answer', { selector: 'summary' })).toBeNull();
});

const menu = { question: 'Which menu?', choices: ['Vegetarian', 'Vegan'] };
/** The event as the page reads it after the reply. */
const readEvent = (event: Partial<Event>) =>
  (server.read = (path) =>
    path === '/api/v1/events/tuesday-run' ? success({ ...run, ...event }) : failure(404));
const choice = (name: string) => screen.findByRole<HTMLInputElement>('radio', { name });

test.each([
  ['going', going],
  ['waiting', { ...going, my_role: null, my_answer: 'waiting', my_place: 1 }],
  ['maybe', { ...going, my_role: null, my_answer: 'maybe' }],
  ['the host', { ...going, my_role: 'organiser' }],
] as const)(
  'question: a member who is %s chooses a reply, which is saved at once [REPLY-02]',
  async (_, event) => {
    vi.useRealTimers();
    show({ ...event, ...menu });
    expect((await choice('Vegan')).checked).toBe(false);
    expect(screen.getByRole('group', { name: menu.question })).toBeDefined();
    const answer = event.my_answer === 'maybe' ? 'maybe' : 'going';
    server.respond = () => success({ my_answer: event.my_answer });
    readEvent({ ...event, ...menu, my_reply: 'Vegan' });
    await userEvent.click(await choice('Vegan'));
    await vi.waitFor(() => expect(server.sent).toEqual([put({ answer, reply: 'Vegan' })]));
    expect((await choice('Vegan')).checked).toBe(true);
    expect((await choice('Vegetarian')).checked).toBe(false);
  },
);

test.each([
  ['a member without an answer', menu],
  ["a member whose answer is can't go", { ...menu, my_answer: 'no' }],
  ['a member of a cancelled event', { ...going, ...menu, deleted_at: run.start_time }],
  ['a member who is going to an event without a question', going],
] as const)('question: is not shown to %s [REPLY-02]', async (_, event) => {
  vi.useRealTimers();
  show(event);
  await screen.findByRole('heading', { name: run.name });
  expect(screen.queryByText(menu.question)).toBeNull();
});

test('question: a reply that is not saved is shown as it was, with the reason [REPLY-02]', async () => {
  vi.useRealTimers();
  server.respond = () => Promise.reject(new TypeError('Failed to fetch'));
  readEvent({ ...going, ...menu, my_reply: 'Vegetarian' });
  show({ ...going, ...menu, my_reply: 'Vegetarian' });
  await userEvent.click(await choice('Vegan'));
  await screen.findByText("Your reply wasn't saved. An unexpected error occurred.");
  expect((await choice('Vegetarian')).checked).toBe(true);
});

test('question: needs a network', async () => {
  vi.useRealTimers();
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  show({ ...going, ...menu });
  await userEvent.click(await choice('Vegan'));
  expect(screen.getByText("You're offline. Try again when you're connected.")).toBeDefined();
  expect(server.sent).toEqual([]);
  onLine.mockRestore();
});

test('question: says which reply is no longer one of the choices [REPLY-02]', async () => {
  vi.useRealTimers();
  show({ ...going, ...menu, my_reply: 'Fish' });
  await screen.findByText('Your reply “Fish” is no longer a choice.');
  expect(screen.getAllByRole<HTMLInputElement>('radio').map(({ checked }) => checked)).toEqual([
    false,
    false,
  ]);
});

test('question: without choices, the reply is a line that is saved when it loses the focus, apart from the note [REPLY-02]', async () => {
  vi.useRealTimers();
  show({ ...going, question: 'Allergies?', my_note: 'Late', my_reply: 'Nuts' });
  await screen.findByRole('textbox', { name: 'Allergies?' });
  expect(field('Allergies?')).toMatchObject({ tagName: 'INPUT', maxLength: 200, value: 'Nuts' });
  await fill('Allergies?', ' Walnuts ');
  server.respond = () => success({ my_answer: 'going' });
  await userEvent.tab();
  await screen.findByText('Saved');
  expect(server.sent).toEqual([put({ answer: 'going', reply: 'Walnuts' })]);
  expect(field(note).value).toBe('Late');
});
