import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { queries, queryClient } from '#web/queries.ts';
import { alwaysSent, settingNames } from '#features/notifications/contract.ts';
import { expectToast, press, renderPage, server, success } from '#test/render-page.tsx';
import SettingsPage from './SettingsPage.tsx';

const settingKeys = settingNames.flatMap((key) =>
  key === 'attending' ? [`email_${key}`] : [key, `email_${key}`],
);
const settingsExcept = (optedOut: readonly string[]) =>
  Object.fromEntries(settingKeys.map((key) => [key, !optedOut.includes(key)]));
const always = new Set<string>(alwaysSent);

const spaced = (key: string) => key.replaceAll('_', ' ');
const box = (key: string) => screen.getByRole<HTMLInputElement>('checkbox', { name: spaced(key) });
const rowOf = (key: string) => box(key).closest<HTMLElement>('[role=group]') as HTMLElement;

function show(optedOut: string[] = []) {
  queryClient.setQueryData(queries.notificationSettings().queryKey, settingsExcept(optedOut));
  renderPage(<SettingsPage />);
}

test('notification settings: are a grid of kinds and channels, with one checkbox per key that is labelled with the key [UX-32 NOTIFSET-02 NOTIFSET-03]', () => {
  show(['new_event', 'email_attending']);
  expect(screen.getAllByRole('checkbox')).toHaveLength(settingKeys.length);
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

test('notification settings: what only organisers get comes last, below a heading [UX-32]', () => {
  show();
  const headings = screen.getAllByRole('heading').map(({ textContent }) => textContent);
  expect(headings.slice(-4)).toEqual([
    'For hosts and admins only',
    'Free seats',
    'Late changes',
    'New members',
  ]);
});

test('notification settings: a row names the notices that are sent regardless of the setting [UX-32]', () => {
  show();
  for (const kind of settingNames) {
    const row = rowOf(`email_${kind}`);
    const note = document.getElementById(row.getAttribute('aria-describedby') ?? '')?.textContent ?? '';
    const said = always.has(kind)
      ? 'Always sent, in the app and by email.'
      : kind === 'event_updated'
        ? 'Always sent when an event moves.'
        : undefined;
    expect([kind, /always/i.test(note) ? note : undefined]).toEqual([kind, said]);
  }
});

test('notification settings: the checkbox of notices that are always sent is checked and disabled, whatever is stored [UX-32]', async () => {
  show(settingKeys);
  for (const kind of settingNames) {
    const { checked, disabled } = box(`email_${kind}`);
    expect([kind, checked, disabled]).toEqual([kind, always.has(kind), always.has(kind)]);
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
