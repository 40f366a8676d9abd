import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Absence, SavedAbsence } from '#features/events/absences/contract.ts';
import { queries, queryClient } from '#web/queries.ts';
import { card, expectToast, failure, press, renderPage, server, success } from '#test/render-page.tsx';
import AwayPage from './AwayPage.tsx';

const year = new Date().getFullYear() + 1;
const summer: Absence = { id: 'summer', first_on: `${year}-08-03`, last_on: `${year}-08-17` };
const { id: _, ...days } = summer;
const inWords = ({ first_on, last_on }: Absence) => {
  const [first, last] = [first_on, last_on].map((on) =>
    new Date(on)
      .toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
      .replace(',', ''),
  );
  return `${first?.replace(/ \d{4}$/, '')} – ${last}`;
};

const event = { club_name: 'Harbour Rowers', start_time: `${year}-08-04T18:00:00.000Z`, time_zone: 'UTC' };
const run = { ...event, slug: 'tuesday-run', name: 'Tuesday run', is_host: false };
const supper = { ...event, slug: 'supper', name: 'Supper', is_host: true };
const saved = (more: Partial<SavedAbsence> = {}) =>
  success({ away: summer, answered: 0, going: [], ...more });
const failing = (status: number, error: string) => () =>
  Response.json({ data: null, status, error }, { status });

/** Opens the page. The server lists these absences, which its responses to writes do not change. */
function show(absences: Absence[] = []) {
  server.read = () => success(absences);
  return renderPage(<AwayPage />, {
    route: '/app/away',
    path: '/app/away',
    query: queries.absences(),
    data: absences,
  });
}

const day = (name: string) => screen.getByLabelText<HTMLInputElement>(new RegExp(`^${name}`));
const enter = (name: string, on: string) => fireEvent.change(day(name), { target: { value: on } });
const typed = () => [day('First day').value, day('Last day').value];
const alerts = () =>
  screen
    .queryAllByRole('alert')
    .map(({ textContent }) => textContent)
    .filter(Boolean);
const rowTexts = () =>
  within(screen.getByRole('region', { name: 'Your absences' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

async function save() {
  enter('First day', summer.first_on);
  enter('Last day', summer.last_on);
  await press('Save');
}

test('away: two days and Save add an absence, the page says how many events were answered, and the lists of events are loaded again [AWAY-01 AWAY-02]', async () => {
  show();
  expect(screen.getByText('No absences')).toBeDefined();
  queryClient.setQueryData(queries.ofMyClubs().queryKey, [card]);
  server.respond = () => saved({ answered: 4 });
  server.read = () => success([summer]);
  await save();
  await screen.findByText("Saved. We answered “Can't go” to 4 events.");
  expect(server.sent).toEqual([{ call: 'POST /api/v1/users/away', body: days }]);
  expect(typed()).toEqual(['', '']);
  expect(rowTexts()).toEqual([inWords(summer)]);
  expect(queryClient.getQueryState(queries.ofMyClubs().queryKey)?.isInvalidated).toBe(true);
});

test('away: without an event on these days, the page says so, and the last day follows the first [AWAY-01 AWAY-02]', async () => {
  show();
  enter('First day', summer.first_on);
  expect(typed()).toEqual([summer.first_on, summer.first_on]);
  server.respond = () => saved();
  await press('Save');
  await screen.findByText('Saved. No event needs an answer on these days.');
  expect(server.sent[0]?.body).toEqual({ first_on: summer.first_on, last_on: summer.first_on });
});

test("away: after saving, each event in that time that the member said they go to is linked and has 'Can't go', except those that they host [AWAY-02]", async () => {
  show();
  server.respond = () => saved({ answered: 1, going: [run, supper] });
  await save();
  const list = within(await screen.findByRole('region', { name: "You said you're going" }));
  const [ofRun, ofSupper] = list.getAllByRole('listitem');
  expect(ofRun?.textContent).toContain(`4 Aug ${year}, 6:00 pm · Harbour Rowers`);
  expect(list.getByRole('link', { name: 'Tuesday run' }).getAttribute('href')).toBe(
    '/app/events/tuesday-run',
  );
  expect(ofSupper?.textContent).toContain("You're a host");
  expect(list.queryByRole('button', { name: "Can't go: Supper" })).toBeNull();
  server.respond = failing(503, 'unavailable');
  await press("Can't go: Tuesday run");
  await vi.waitFor(() => expect(alerts()).toEqual([expect.stringMatching(/^Your answer wasn't saved\. /)]));
  server.respond = () => success({ my_role: null, my_answer: 'no' });
  await press("Can't go: Tuesday run");
  const button = list.getByRole('button', { name: "Can't go: Tuesday run" });
  await vi.waitFor(() => expect(button.getAttribute('aria-pressed')).toBe('true'));
  expect(document.activeElement).toBe(button);
  await userEvent.click(button);
  const unattend = { call: 'POST /api/v1/events/tuesday-run/unattend', body: {} };
  expect(server.sent.slice(1)).toEqual([unattend, unattend]);
  expect(alerts()).toEqual([]);
});

const range = (years: number) => {
  const date = new Date();
  date.setFullYear(date.getFullYear() + years);
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
};

test.each([
  ['no days', '', '', ['Enter the first day.', 'Enter the last day.']],
  ['a last day before the first', days.last_on, days.first_on, ["The last day can't be before the first."]],
  [
    'more than 367 days',
    days.first_on,
    `${year + 1}-08-05`,
    ['An absence can last a year at most. Add another one for the rest.'],
  ],
  ['a mistyped year', '0206-08-03', days.last_on, [`Choose a day from ${range(-1)} to ${range(2)}.`]],
])('away: %s show an error at the field, and nothing is sent [AWAY-06]', async (_, first, last, texts) => {
  show();
  enter('First day', first);
  enter('Last day', last);
  await press('Save');
  expect(alerts()).toEqual(texts);
  expect(server.sent).toEqual([]);
});

test.each([
  [409, 'too_many_absences', 'You can enter twenty absences at a time. Delete one first.'],
  // After the status 429, the client would wait and repeat the request.
  [400, 'too_often', 'Too many requests. Wait a moment and try again.'],
  [503, 'unavailable', 'The service is unavailable. Try again shortly.'],
])(
  'away: after %i %s, the page says why the absence was not saved, and the days stay, also when it opens again [AWAY-06 FORMUX-03]',
  async (status, error, reason) => {
    show();
    server.respond = failing(status, error);
    await save();
    await vi.waitFor(() =>
      expect(alerts()).toEqual([`The absence wasn't saved${reason} Your changes are still here.`]),
    );
    expect(typed()).toEqual([days.first_on, days.last_on]);
    cleanup();
    show();
    expect(screen.getByText(/^Your draft from /)).toBeDefined();
    expect(typed()).toEqual([days.first_on, days.last_on]);
    server.respond = () => saved();
    await press('Save');
    await screen.findByText('Saved. No event needs an answer on these days.');
    expect(screen.queryByText(/^Your draft from /)).toBeNull();
  },
);

test('away: coming absences are listed before past ones, and one can be changed by keyboard alone [AWAY-04]', async () => {
  const past: Absence = { id: 'past', first_on: '2020-03-01', last_on: '2020-03-02' };
  show([past, summer]);
  expect(rowTexts()).toEqual([inWords(summer), `${inWords(past)} (past)`]);
  screen.getByRole('button', { name: `Change: ${inWords(summer)}` }).focus();
  await userEvent.keyboard('{Enter}');
  const form = screen.getByRole('form', { name: 'Change absence' });
  expect(document.activeElement).toBe(form);
  expect(typed()).toEqual([days.first_on, days.last_on]);
  await userEvent.tab();
  expect(document.activeElement).toBe(day('First day'));
  const shorter = { ...summer, last_on: `${year}-08-10` };
  enter('Last day', shorter.last_on);
  server.respond = () => saved({ away: shorter, answered: 2 });
  server.read = () => success([past, shorter]);
  within(form).getByRole('button', { name: 'Save' }).focus();
  await userEvent.keyboard('{Enter}');
  await screen.findByText("Saved. We answered “Can't go” to 2 events.");
  const body = { first_on: days.first_on, last_on: shorter.last_on };
  expect(server.sent).toEqual([{ call: 'PUT /api/v1/users/away/summer', body }]);
  expect(rowTexts()).toEqual([inWords(shorter), `${inWords(past)} (past)`]);
  expect(screen.getByRole('form', { name: 'New absence' })).toBeDefined();
});

test('away: Cancel ends a change without saving it [AWAY-04]', async () => {
  show([summer]);
  await press(`Change: ${inWords(summer)}`);
  await press('Cancel');
  expect(screen.getByRole('form', { name: 'New absence' })).toBeDefined();
  expect(typed()).toEqual(['', '']);
  expect(server.sent).toEqual([]);
});

test('away: the days of an absence that was deleted elsewhere stay in the form, and can be saved as a new one [AWAY-04]', async () => {
  show([summer]);
  await press(`Change: ${inWords(summer)}`);
  server.respond = failing(404, 'not_found');
  await press('Save');
  await vi.waitFor(() => expect(alerts()).toEqual([expect.stringMatching(/^The absence wasn't saved/)]));
  expect(typed()).toEqual([days.first_on, days.last_on]);
  server.respond = () => saved({ answered: 1 });
  await press('Save');
  await screen.findByText("Saved. We answered “Can't go” to 1 event.");
  expect(server.sent.at(-1)).toEqual({ call: 'POST /api/v1/users/away', body: days });
});

test('away: an absence can be deleted, the focus stays on the page, and a change of it ends [AWAY-04]', async () => {
  show([summer]);
  await press(`Change: ${inWords(summer)}`);
  server.read = () => success([]);
  await press(`Delete: ${inWords(summer)}`);
  const empty = await screen.findByText('No absences');
  await expectToast('Absence deleted', 'The answers it gave are taken back.');
  expect(server.sent).toEqual([{ call: 'DELETE /api/v1/users/away/summer', body: null }]);
  await vi.waitFor(() => expect(document.activeElement?.contains(empty)).toBe(true));
  expect(document.activeElement).not.toBe(document.body);
  expect(typed()).toEqual(['', '']);
});

test('away: an absence that cannot be deleted stays in the list, with the reason [AWAY-04]', async () => {
  show([summer]);
  server.respond = failing(503, 'unavailable');
  await press(`Delete: ${inWords(summer)}`);
  await expectToast("The absence wasn't deleted", 'The service is unavailable. Try again shortly.');
  expect(rowTexts()).toEqual([inWords(summer)]);
});

test('away: if the absences cannot be loaded, the page says so and can try again, and the form is there [AWAY-04]', async () => {
  server.read = () => failure(500);
  renderPage(<AwayPage />, { route: '/app/away', path: '/app/away' });
  await screen.findByText("We couldn't load your absences", undefined, { timeout: 5_000 });
  expect(typed()).toEqual(['', '']);
  server.read = () => success([summer]);
  await press('Try again');
  await vi.waitFor(() => expect(rowTexts()).toEqual([inWords(summer)]));
});

test('away: without a network, the page says why the absences are not there and why the absence is not saved, and the days stay [AWAY-04]', async () => {
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  server.read = server.respond = () => Promise.reject(new TypeError('Failed to fetch'));
  renderPage(<AwayPage />, { route: '/app/away', path: '/app/away' });
  const reason = "You're offline. Try again when you're connected.";
  await vi.waitFor(() => expect(alerts()).toEqual([expect.stringContaining(reason)]));
  await save();
  await vi.waitFor(() =>
    expect(alerts()).toContain(`The absence wasn't saved${reason} Your changes are still here.`),
  );
  expect(typed()).toEqual([days.first_on, days.last_on]);
  onLine.mockRestore();
});
