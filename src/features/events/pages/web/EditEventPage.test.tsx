import { cleanup, fireEvent, screen } from '@testing-library/react';
import { addSeconds, instant } from '#wire/instant.ts';
import { expect, test, vi } from 'vitest';
import {
  ada,
  expectToast,
  failure,
  field,
  fill,
  press,
  renderPage,
  run,
  server,
  success,
} from '#test/render-page.tsx';
import EditEventPage from './EditEventPage.tsx';

const show = (data: Parameters<typeof renderPage>[1] = {}) =>
  renderPage(<EditEventPage />, {
    route: '/app/events/edit/:slug',
    path: '/app/events/edit/tuesday-run',
    ...data,
  });

test('edit event: four fields are marked required, and Details is a multi-line field [EVENTEDIT-02 EVENTEDIT-03 EVENTEDIT-04 EVENTEDIT-05]', () => {
  show();
  for (const [name, value] of [
    ['Title', run.name],
    ['Description', run.description],
    ['Details', run.details],
    ['Location', run.location_name],
  ] as const) {
    expect(field(name)).toMatchObject({ value, required: true });
    expect(screen.getByText(name).textContent).toBe(`${name}*`);
  }
  expect(field('Details').tagName).toBe('TEXTAREA');
});

test.each([
  [
    { Title: 'Wednesday run', Details: 'Bring a lamp.' },
    { name: 'Wednesday run', details: 'Bring a lamp.' },
  ],
  [
    { Description: '', Details: '', Location: '' },
    { description: '', details: '', location_name: '' },
  ],
  [{ Title: 'Tuesday run' }, {}],
])(
  'edit event: entering %j sends %j and opens the event page with the slug from the response [EVENTEDIT-08 EVENTEDIT-09 EVENTEDIT-11 EVENTEDIT-12 TOAST-34]',
  async (input, body) => {
    server.respond = () => success('another-slug', 202);
    const router = show();
    for (const [name, text] of Object.entries(input)) await fill(name, text);
    await press('Update Event');
    await expectToast('Success', 'You have updated this event');
    expect(server.sent).toEqual([{ call: 'PUT /api/v1/events/tuesday-run/edit/id-of-rowers', body }]);
    await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/events/another-slug'));
  },
);

test('edit event: the form is not validated before it is sent, and keeps the input after a failure [EVENTEDIT-08 TOAST-33]', async () => {
  server.respond = () => failure(400);
  const router = show();
  await fill('Title', '');
  await fill('Location', 'Pier 9');
  await press('Update Event');
  await expectToast('Error', 'There was an error updating this event');
  expect(server.sent).toMatchObject([{ body: { name: '', location_name: 'Pier 9' } }]);
  expect(field('Location').value).toBe('Pier 9');
  expect(router.state.location.pathname).toBe('/app/events/edit/tuesday-run');
});

test('edit event: a failure is shown in the bar, which is always visible [UX-28]', async () => {
  server.respond = () => failure(500);
  show();
  await fill('Location', 'Pier 9');
  await press('Update Event');
  const notice = await screen.findByText("The event wasn't updated");
  expect(notice.closest('[data-bottom-bar]')?.textContent).toContain('Update Event');
});

test('edit event: has the fields of the new event form in the same order, and shows the times in words [UX-13]', () => {
  show({ event: { ...run, time_zone: 'Europe/Berlin' } });
  const text = document.querySelector('form')?.textContent ?? '';
  const when = 'Monday 8 June 2099, 8:30 pm – 10:00 pm (Berlin time)';
  const places = ['Title', 'Start', when, 'Location', 'Description', 'Details'].map((each) =>
    text.indexOf(each),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test('edit event: an empty title shows an error at its field until a title is entered [UX-28]', async () => {
  server.respond = () => failure(400);
  show();
  await fill('Title', '');
  await press('Update Event');
  expect((await screen.findByRole('alert')).textContent).toBe('An event needs a title.');
  expect(document.activeElement).toBe(field('Title'));
  await fill('Title', 'Run');
  expect(screen.queryByRole('alert')).toBeNull();
});

test('edit event: Back leads to the event [EVENTEDIT-06]', async () => {
  const router = show();
  await press('Back');
  expect(router.state.location.pathname).toBe('/app/events/tuesday-run');
});

const as = (club_role: 0 | 100) => ({ ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role })) });

test.each([
  ['an organiser', { user: as(100) }, "You can't edit events in this club"],
  ['a member', { user: as(0) }, "You can't edit events in this club"],
  ['an outsider', { user: { ...ada, clubs: [] } }, "You can't edit events in this club"],
  ['a cancelled event', { event: { ...run, deleted_at: run.start_time } }, 'This event has been cancelled'],
])('edit event: shows no form for %s [EVENTEDIT-10]', (_what, data, text) => {
  show(data);
  expect(screen.getByText(text)).toBeDefined();
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Update Event' })).toBeNull();
});

const waitlist = () => screen.getByRole<HTMLInputElement>('checkbox', { name: /^Waitlist/ });
const body = () => server.sent[0]?.body;

test('edit event: shows seats, waitlist and guests, and sends only changed fields [TIME-02]', async () => {
  server.respond = () => success('tuesday-run', 202);
  show({ event: { ...run, capacity: 20, guests_max: 2 } });
  expect(field('Seats').value).toBe('20');
  expect(waitlist().checked).toBe(true);
  expect(screen.getByRole('spinbutton', { name: 'Guests per person' })).toMatchObject({ value: '2' });
  expect(field('Answers close').value).toBe('06/08/2099 06:30 PM');
  expect(screen.getByRole('combobox', { name: 'Time zone' })).toMatchObject({ value: 'UTC' });
  await fill('Seats', '24');
  fireEvent.click(waitlist());
  await press('Update Event');
  expect(body()).toEqual({ capacity: 24, waitlist: false });
});

test.each([
  ['', null],
  ['0', null],
  ['1,500', 1500],
  ['999999', 100_000],
])('edit event: "%s" seats are sent as %s [SEATS-01]', async (text, capacity) => {
  server.respond = () => success('tuesday-run', 202);
  show({ event: { ...run, capacity: 20 } });
  await fill('Seats', text);
  await press('Update Event');
  expect(body()).toEqual({ capacity });
});

const announced = () => screen.getByRole<HTMLInputElement>('checkbox', { name: /^Tell people about this/ });

test('edit event: shows the times in the zone of the event, and sends only the new start [TIME-03]', async () => {
  server.respond = () => success('tuesday-run', 202);
  show();
  expect(field('Start').value).toBe('06/08/2099 06:30 PM');
  expect(screen.getByRole('spinbutton', { name: 'Duration' })).toMatchObject({ value: '90' });
  expect(screen.getByRole('combobox', { name: 'Unit' })).toMatchObject({ value: 'minutes' });
  await fill('Start', 'Tue 9 June 2099 19:00');
  expect(screen.getByText('Tuesday 9 June 2099, 7:00 pm – 8:30 pm (UTC)')).toBeDefined();
  await press('Update Event');
  expect(body()).toEqual({ start_time: '2099-06-09T19:00:00.000Z' });
});

test('edit event: a new duration is sent as a new end, and a new time zone keeps the local times', async () => {
  server.respond = () => success('tuesday-run', 202);
  show();
  fireEvent.change(screen.getByRole('combobox', { name: 'Time zone' }), {
    target: { value: 'Europe/Berlin' },
  });
  fireEvent.change(screen.getByRole('spinbutton', { name: 'Duration' }), { target: { value: '120' } });
  await press('Update Event');
  expect(body()).toEqual({
    start_time: '2099-06-08T16:30:00.000Z',
    end_time: '2099-06-08T18:30:00.000Z',
    time_zone: 'Europe/Berlin',
  });
});

test.each([
  ['a start in the past', { Start: '06/08/2020 06:30 PM' }, /past/],
  ['a start that is not a date', { Start: 'soon' }, /read this date/],
  ['a start in an invalid year', { Start: '06/08/2300 06:30 PM' }, /^Choose a year from 2000 to 2200\.$/],
  ['a cut-off in an invalid year', { 'Answers close': '06/08/1999 06:00 PM' }, /^Choose a year/],
  ['a cut-off that is not a date', { 'Answers close': 'soon' }, /read this date/],
])(
  'edit event: %s shows an error, stays in its field and is not sent [TIME-04 TIME-17]',
  async (_, input, text) => {
    show();
    for (const [name, value] of Object.entries(input)) await fill(name, value);
    await press('Update Event');
    await expectToast('Error', 'There was an error updating this event');
    const [[name, value] = ['', '']] = Object.entries(input);
    expect(field(name)).toMatchObject({ value });
    expect(field(name).getAttribute('aria-invalid')).toBe('true');
    expect(screen.getAllByText(text).length).toBeGreaterThan(0);
    expect(server.sent).toEqual([]);
  },
);

test('edit event: people get a notice unless the admin switches it off; a new time or place is always announced [TIME-10]', async () => {
  server.respond = () => success('tuesday-run', 202);
  show();
  expect(announced().checked).toBe(true);
  fireEvent.click(announced());
  await fill('Location', 'Hall');
  expect(screen.queryByRole('checkbox', { name: /^Tell people/ })).toBeNull();
  await fill('Location', run.location_name);
  expect(announced().checked).toBe(false);
  await fill('Title', 'Night run');
  await press('Update Event');
  expect(body()).toEqual({ name: 'Night run', announce: false });
});

test.each([
  ['in progress', -3600, "The event has started, so its start can't change.", true],
  ['over', -86_400, "The event is over, so its times can't change.", false],
])(
  'edit event: while the event is %s, times that can no longer change are shown as text [TIME-05]',
  (_, startsIn, reason, hasDuration) => {
    const start_time = addSeconds(instant(Date.now()), startsIn);
    show({ event: { ...run, start_time, end_time: addSeconds(start_time, 2 * 3600) } });
    expect(screen.queryByLabelText('Start')).toBeNull();
    expect(screen.getByText(reason)).toBeDefined();
    expect(screen.queryByRole('spinbutton', { name: 'Duration' }) !== null).toBe(hasDuration);
  },
);

test('edit event: always shows title, description, details and location; folded seats are not sent [FORMUX-01 TIME-02]', async () => {
  server.respond = () => success('tuesday-run', 202);
  show({ event: { ...run, description: '', details: '' } });
  for (const name of ['Title', 'Description', 'Details', 'Location']) expect(field(name)).toBeDefined();
  expect(screen.queryByRole('textbox', { name: 'Seats' })).toBeNull();
  await fill('Title', 'Night run');
  await press('Update Event');
  expect(body()).toEqual({ name: 'Night run' });
});

const menu = { question: 'Which menu?', choices: ['Vegetarian', 'Vegan'] };

test.each<[string, [string, string][], object]>([
  ['nothing', [], {}],
  ['another title', [['Title', 'Walk']], { name: 'Walk' }],
  ['a choice', [['Choice 3', 'Meat']], { ...menu, choices: ['Vegetarian', 'Vegan', 'Meat'] }],
  ['the question', [['Question with the answer', 'Which?']], { ...menu, question: 'Which?' }],
  ['an empty question', [['Question with the answer', '']], { question: '', choices: [] }],
])('edit event: %s is sent, the question with its choices [REPLY-01]', async (_, input, body) => {
  server.respond = () => success('tuesday-run', 202);
  show({ event: { ...run, ...menu } });
  for (const [name, text] of input) fireEvent.change(field(name), { target: { value: text } });
  await press('Update Event');
  await vi.waitFor(() =>
    expect(server.sent).toEqual([{ call: 'PUT /api/v1/events/tuesday-run/edit/id-of-rowers', body }]),
  );
});

test('edit event: the same choice twice is not sent [REPLY-01]', async () => {
  show({ event: { ...run, ...menu } });
  fireEvent.change(field('Choice 3'), { target: { value: 'Vegan' } });
  await press('Update Event');
  await expectToast('Error', 'There was an error updating this event');
  expect(server.sent).toEqual([]);
});

test('edit event: a new end is sent, and an end before the start is not [FORMUX-04]', async () => {
  server.respond = () => success('tuesday-run', 202);
  show();
  expect(field('End').value).toBe('8:00 pm');
  await fill('End', '06/08/2099 06:00 PM');
  await press('Update Event');
  await expectToast('Error', 'There was an error updating this event');
  expect(field('End').getAttribute('aria-invalid')).toBe('true');
  expect(server.sent).toEqual([]);
  await fill('End', '9:00 pm');
  await press('Update Event');
  expect(body()).toEqual({ end_time: '2099-06-08T21:00:00.000Z' });
});

test('edit event: the draft is there when the form opens again, and is gone when it is saved [FORMUX-03]', async () => {
  show();
  await fill('Title', 'Night run');
  cleanup();
  server.respond = () => success('tuesday-run', 202);
  const router = show();
  expect(field('Title').value).toBe('Night run');
  expect(screen.getByText(/^Your draft from/)).toBeDefined();
  await press('Update Event');
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/events/tuesday-run'));
  cleanup();
  show();
  expect(field('Title').value).toBe('Tuesday run');
});
