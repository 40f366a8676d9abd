import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test } from 'vitest';
import { queries, queryClient } from '#web/queries.ts';
import { settings } from '#web/settings.ts';
import { alwaysSent, settingNames } from '#features/notifications/settings-contract.ts';
import { expectToast, press, renderPage, server, success } from '#test/render-page.tsx';
import SettingsPage from './SettingsPage.tsx';

const settingKeys = settingNames.flatMap((key) =>
  key === 'attending' ? [`email_${key}`] : [key, `email_${key}`],
);
const settingsExcept = (optedOut: readonly string[]) => ({
  ...Object.fromEntries(settingKeys.map((key) => [key, !optedOut.includes(key)])),
  weekly_email: false,
});
const always = new Set<string>(alwaysSent);

const spaced = (key: string) => key.replaceAll('_', ' ');
const box = (key: string) => screen.getByRole<HTMLInputElement>('checkbox', { name: spaced(key) });
const rowOf = (key: string) => box(key).closest<HTMLElement>('[role=group]') as HTMLElement;

function show(optedOut: string[] = []) {
  queryClient.setQueryData(queries.notificationSettings().queryKey, settingsExcept(optedOut));
  renderPage(<SettingsPage />);
}

const pushKeys = settingNames.filter((key) => key !== 'attending').map((key) => `push_${key}`);

/** The whole grid, with these settings on and all others off. */
function showAll(on: readonly string[] = settingKeys) {
  const keys = [...settingKeys, ...pushKeys, 'weekly_email'];
  const saved = Object.fromEntries(keys.map((key) => [key, on.includes(key)]));
  queryClient.setQueryData(queries.notificationSettings().queryKey, saved);
  settings.hasPush = true;
  onTestFinished(() => void delete settings.hasPush);
  renderPage(<SettingsPage />);
  return saved;
}

/** The number of the column in which a checkbox is. */
const columnOf = (key: string) => [...rowOf(key).children].findIndex((cell) => cell.contains(box(key)));

const descriptionOf = (key: string) =>
  document.getElementById(box(key).getAttribute('aria-describedby') ?? '')?.textContent;

test('notification settings: are a grid of kinds and channels, with one checkbox per key that is labelled with the key [UX-32 NOTIFSET-02 NOTIFSET-03]', () => {
  show(['new_event', 'email_attending']);
  expect(screen.getAllByRole('checkbox')).toHaveLength(settingKeys.length + 1);
  for (const key of settingKeys) {
    expect(screen.getByText(spaced(key))).toBeDefined();
    expect(box(key).checked).toBe(key !== 'new_event' && key !== 'email_attending');
  }
  expect(screen.getAllByRole('group')).toHaveLength(settingNames.length);
  for (const kind of settingNames) {
    const inRow = within(rowOf(`email_${kind}`)).getAllByRole<HTMLInputElement>('checkbox');
    const keys = kind === 'attending' ? ['email_attending'] : [kind, `email_${kind}`];
    expect(inRow.map(({ name }) => name)).toEqual(keys);
  }
});

test('notification settings: devices have a column only on a server that sends to them [CHAN-01 PUSH-03]', async () => {
  show();
  expect(screen.queryByText('On your devices')).toBeNull();
  cleanup();
  settings.hasPush = true;
  onTestFinished(() => void delete settings.hasPush);
  const keys = [...settingKeys, ...pushKeys];
  queryClient.setQueryData(
    queries.notificationSettings().queryKey,
    Object.fromEntries(keys.map((key) => [key, true])),
  );
  server.read = () => success({ public_key: null, is_on: false, is_lost: false });
  renderPage(<SettingsPage />);
  expect(screen.getByText('On your devices')).toBeDefined();
  expect(screen.getAllByRole('checkbox')).toHaveLength(keys.length + 1);
});

test('notification settings: what only organisers get comes last, below a heading [UX-32]', () => {
  show();
  const headings = screen.getAllByRole('heading').map(({ textContent }) => textContent);
  expect(headings.slice(-5)).toEqual([
    'For hosts and admins only',
    'Free seats',
    'Late changes',
    'People not reached',
    'New members',
  ]);
});

test('notification settings: a row names the notices that are sent regardless of the setting [UX-32 CHAN-03]', () => {
  show();
  for (const kind of settingNames) {
    const row = rowOf(`email_${kind}`);
    const note = document.getElementById(row.getAttribute('aria-describedby') ?? '')?.textContent ?? '';
    const said = always.has(kind)
      ? 'Always sent'
      : kind === 'event_updated'
        ? 'Always sent when an event moves.'
        : undefined;
    expect([kind, /always/i.test(note) ? note : undefined]).toEqual([kind, said]);
  }
});

test('notification settings: the checkbox of notices that are always sent is checked, disabled and described as such, whatever is stored [UX-32 CHAN-03 NOTIFSET-05]', async () => {
  show(settingKeys);
  for (const kind of settingNames) {
    const { checked, disabled } = box(`email_${kind}`);
    expect([kind, checked, disabled]).toEqual([kind, always.has(kind), always.has(kind)]);
    expect(descriptionOf(`email_${kind}`)).toBe(always.has(kind) ? 'Always sent' : undefined);
  }
  await userEvent.click(box('event_cancelled'));
  server.respond = () => success(settingsExcept(settingKeys));
  await press('Save');
  expect(server.sent).toEqual([
    { call: 'PUT /api/v1/notification-settings', body: settingsExcept(settingKeys) },
  ]);
});

test('notification settings: sends all settings and shows that they were saved [UX-32 NOTIFSET-05]', async () => {
  show(['club_update']);
  await userEvent.click(box('club_update'));
  await userEvent.click(box('email_club_update'));
  const saved = settingsExcept(['email_club_update']);
  server.respond = () => success(saved);
  await press('Save');
  expect(server.sent).toEqual([{ call: 'PUT /api/v1/notification-settings', body: saved }]);
  await expectToast('Saved', undefined as never);
});

test('notification settings: saving one setting keeps another that was changed on another device [C23]', async () => {
  show();
  await userEvent.click(box('club_update'));
  const newer = settingsExcept(['email_new_event']);
  act(() => void queryClient.setQueryData(queries.notificationSettings().queryKey, newer));
  await waitFor(() => expect(box('email_new_event').checked).toBe(false));
  await press('Save');
  expect(server.sent).toMatchObject([{ body: settingsExcept(['club_update', 'email_new_event']) }]);
});

test('notification settings: do not offer devices yet, and keep their values [CHAN-02]', async () => {
  const saved = { ...settingsExcept([]), push_question: false, push_new_event: true };
  queryClient.setQueryData(queries.notificationSettings().queryKey, saved);
  renderPage(<SettingsPage />);
  expect(screen.getAllByRole('checkbox')).toHaveLength(settingKeys.length + 1);
  expect(screen.queryByText('On your devices')).toBeNull();
  server.respond = () => success(saved);
  await press('Save');
  expect(server.sent).toMatchObject([{ body: saved }]);
});

test('notification settings: offer the weekly email with a sentence that says when it comes [DIGEST-01]', async () => {
  show();
  expect(box('weekly_email').checked).toBe(false);
  expect(descriptionOf('weekly_email')).toBe(
    "News once a week, on Mondays at 8:00, instead of one by one. What can't wait is sent at once.",
  );
  await userEvent.click(box('weekly_email'));
  server.respond = () => success({ ...settingsExcept([]), weekly_email: true });
  await press('Save');
  expect(server.sent).toMatchObject([{ body: { ...settingsExcept([]), weekly_email: true } }]);
});

test('notification settings: the whole grid has one checkbox per key, labelled with the key, in the columns In the app, By email and On your devices [CHAN-01]', () => {
  showAll();
  const keys = [...settingKeys, ...pushKeys, 'weekly_email'];
  expect(screen.getAllByRole('checkbox')).toHaveLength(keys.length);
  for (const key of keys) expect([key, box(key).name]).toEqual([key, key]);
  const head = screen.getByText('On your devices').parentElement;
  expect([...(head?.children ?? [])].map(({ textContent }) => textContent)).toEqual([
    '',
    'In the app',
    'By email',
    'On your devices',
  ]);
  for (const kind of settingNames.filter((key) => key !== 'attending'))
    expect([kind, `email_${kind}`, `push_${kind}`].map(columnOf)).toEqual([1, 2, 3]);
  expect(columnOf('email_attending')).toBe(2);
});

test('notification settings: all boxes of notices that are always sent are ticked and locked, and their stored values are kept [CHAN-03]', async () => {
  const saved = showAll([]);
  for (const kind of always)
    for (const key of [kind, `email_${kind}`, `push_${kind}`]) {
      expect([key, box(key).checked, box(key).disabled]).toEqual([key, true, true]);
      expect(descriptionOf(key)).toBe('Always sent');
    }
  server.respond = () => success(saved);
  await press('Save');
  expect(server.sent).toMatchObject([{ body: saved }]);
});

test('notification settings: a push needs the app: its box is locked and says so while the app is off, and gets its value back [CHAN-05]', async () => {
  const saved = showAll(['question', 'push_question', 'push_new_event']);
  const state = (key: string) => [box(key).checked, box(key).disabled, descriptionOf(key)];
  expect(state('push_question')).toEqual([true, false, undefined]);
  expect(state('push_new_event')).toEqual([false, true, 'Needs “In the app”']);
  await userEvent.click(box('new_event'));
  expect(state('push_new_event')).toEqual([true, false, undefined]);
  await userEvent.click(box('question'));
  expect(state('push_question')).toEqual([false, true, 'Needs “In the app”']);
  expect(box('email_question').disabled).toBe(false);
  server.respond = () => success(saved);
  await press('Save');
  expect(server.sent).toMatchObject([{ body: { ...saved, new_event: true, question: false } }]);
});

test('notification settings: the whole grid can be changed by keyboard alone [CHAN-01]', async () => {
  const saved = showAll();
  await userEvent.tab();
  while (document.activeElement !== box('weekly_email')) await userEvent.tab();
  await userEvent.keyboard(' ');
  while (document.activeElement !== box('push_new_event')) await userEvent.tab();
  await userEvent.keyboard(' ');
  server.respond = () => success(saved);
  while (document.activeElement?.textContent !== 'Save') await userEvent.tab();
  await userEvent.keyboard('{Enter}');
  const sent = { ...saved, weekly_email: true, push_new_event: true };
  await waitFor(() => expect(server.sent).toMatchObject([{ body: sent }]));
});
