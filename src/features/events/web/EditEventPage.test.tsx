// @vitest-environment jsdom
import { screen } from '@testing-library/react';
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

test('edit event: four fields are marked required, Details has several lines [EVENTEDIT-02 EVENTEDIT-03 EVENTEDIT-04 EVENTEDIT-05]', () => {
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
  'edit event: entering %j sends %j and leads to the slug in the response [EVENTEDIT-08 EVENTEDIT-09 EVENTEDIT-11 EVENTEDIT-12 TOAST-34]',
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

test('edit event: is not validated before it is sent, and a failure keeps the input [EVENTEDIT-08 TOAST-33]', async () => {
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

test('edit event: a failure is told in the bar, which is always in sight [UX-28]', async () => {
  server.respond = () => failure(500);
  show();
  await fill('Location', 'Pier 9');
  await press('Update Event');
  const notice = await screen.findByText("The event wasn't updated");
  expect(notice.closest('[data-bottom-bar]')?.textContent).toContain('Update Event');
});

test('edit event: has the fields of a new one in the same order, and says when it takes place [UX-13]', () => {
  show({ event: { ...run, time_zone: 'Europe/Berlin' } });
  const text = document.querySelector('form')?.textContent ?? '';
  const when = 'Monday 8 June 2099, 8:30 pm – 10:00 pm (Berlin time)';
  const places = ['Title', 'When', when, 'Location', 'Description', 'Details'].map((each) =>
    text.indexOf(each),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test('edit event: an empty title is explained at its field until it has one [UX-28]', async () => {
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

const plainMember = { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role: 0 as const })) };

test.each([
  ['a member', { user: plainMember }, 'Only club admins can edit events'],
  ['an outsider', { user: { ...ada, clubs: [] } }, 'Only club admins can edit events'],
  ['a cancelled event', { event: { ...run, deleted_at: run.start_time } }, 'This event has been cancelled'],
])('edit event: shows no form for %s [EVENTEDIT-10]', (_what, data, text) => {
  show(data);
  expect(screen.getByText(text)).toBeDefined();
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Update Event' })).toBeNull();
});
