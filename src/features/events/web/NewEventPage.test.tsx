// @vitest-environment jsdom
import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import {
  expectToast,
  failure,
  field,
  fill,
  press,
  renderPage,
  rowers,
  server,
  success,
} from '#test/render-page.tsx';
import NewEventPage from './NewEventPage.tsx';

const ahead = '01/01/2099 10:00 AM';

afterEach(() => vi.useRealTimers());

const show = (role: 0 | 200 = 200) =>
  renderPage(<NewEventPage />, {
    route: '/app/:slug/new-event',
    path: '/app/rowers/new-event',
    club: { ...rowers, my_club_role: role },
  });
const enter = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });

test('new event: opens with a start in the next five minutes, one hour long, and sign-up until the start [EVENTNEW-06 EVENTNEW-08 EVENTNEW-11]', () => {
  vi.setSystemTime(new Date(2027, 5, 8, 19, 27, 40));
  show();
  expect(field('Start').value).toBe('06/08/2027 07:30 PM');
  expect(field('Sign-up closes').value).toBe('06/08/2027 07:30 PM');
  expect(screen.getByText('Ends today, 8:30 pm (1 h)')).toBeDefined();
});

test('new event: changing the start moves the end of sign-up, and the unit the end [EVENTNEW-07 EVENTNEW-09 EVENTNEW-10]', () => {
  vi.setSystemTime(new Date(2027, 5, 8, 19, 27, 40));
  show();
  enter('Sign-up closes', '06/08/2027 07:00 PM');
  enter('Start', '06/09/2027 06:05 AM');
  expect(field('Sign-up closes').value).toBe('06/09/2027 06:05 AM');
  const unit = screen.getByRole('combobox', { name: 'Unit' });
  const ends = {
    minutes: 'tomorrow, 6:06 am (1 min)',
    hours: 'tomorrow, 7:05 am (1 h)',
    days: 'Thursday 10 June 2027, 6:05 am (1 day)',
  };
  expect(
    within(unit)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(Object.keys(ends));
  for (const [value, end] of Object.entries(ends)) {
    fireEvent.change(unit, { target: { value } });
    expect(screen.getByText(`Ends ${end}`)).toBeDefined();
  }
});

const missing = ['Missing fields', 'Please complete all required fields'] as const;
const wrong = [
  'Form errors',
  'Please complete all required fields and ensure the start date is in the future',
] as const;
const late = ['Start date error', 'The start date must be in the future'] as const;

test.each([
  ['', '', ahead, missing],
  ['Row', '', ahead, missing],
  ['', 'Pier', ahead, missing],
  ['Row', ' ', '01/01/2020 10:00 AM', wrong],
  ['', 'Pier', '01/01/2020 10:00 AM', wrong],
  ['Row', 'Pier', '01/01/2020 10:00 AM', late],
  ['Row', 'Pier', 'next week', late],
])(
  'new event: title "%s", location "%s" and start "%s" show the toast %j and send nothing [EVENTNEW-15 EVENTNEW-16 EVENTNEW-17 EVENTNEW-21 EVENTNEW-22 EVENTNEW-23 EVENTNEW-24]',
  async (title, location, start, [heading, text]) => {
    show();
    enter('Title', title);
    enter('Location', location);
    enter('Start', start);
    await press('Create Event');
    await expectToast(heading, text);
    expect(server.sent).toEqual([]);
  },
);

test('new event: needs no description, details or duration, and is sent once, with a busy button [EVENTNEW-14 EVENTNEW-18 EVENTNEW-19 EVENTNEW-20]', async () => {
  vi.setSystemTime(new Date(2027, 5, 8, 19, 27, 40));
  const response = Promise.withResolvers<Response>();
  server.respond = () => response.promise;
  const router = show();
  await fill('Title', 'Row');
  await fill('Location', 'Pier');
  fireEvent.change(screen.getByRole('spinbutton', { name: 'Duration' }), { target: { value: '0' } });
  await press('Create Event');
  await press('Creating');
  const start = new Date(2027, 5, 8, 19, 30).toISOString();
  const body = { name: 'Row', description: '', details: '', start_time: start, end_time: start };
  expect(server.sent).toMatchObject([{ call: 'POST /api/v1/clubs/id-of-rowers/events', body }]);
  response.resolve(success({ id: 'e', slug: 'row', name: 'Row' }));
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/clubs/rowers'));
});

test('new event: a failure shows an error and keeps the input [TOAST-20]', async () => {
  server.respond = () => failure(403);
  show();
  await fill('Title', 'Row');
  await fill('Location', 'Pier');
  await press('Create Event');
  await expectToast('Error creating event', 'Please try again or contact support');
  expect(screen.getByRole('alert').textContent).toContain('The event has not been created');
  expect(field('Title').value).toBe('Row');
});

test('new event: members who are not admins see no form [EVENTNEW-02]', () => {
  show(0);
  expect(screen.getByText('Only club admins can create events')).toBeDefined();
  expect(screen.queryByRole('textbox')).toBeNull();
});

test('new event: the title says how many characters are left from 20 before its limit [UX-41]', () => {
  show();
  enter('Title', 'x'.repeat(99));
  expect(screen.queryByText(/left$/)).toBeNull();
  enter('Title', 'x'.repeat(100));
  expect(screen.getByText('20 characters left')).toBeDefined();
  enter('Title', 'x'.repeat(119));
  expect(screen.getByText('1 character left')).toBeDefined();
});
