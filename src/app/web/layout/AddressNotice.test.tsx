import { expect, test, vi } from 'vitest';
import { onePerScreen, respond, settle, useEveryScreen, visit } from '#test/every-screen.tsx';
import { ada } from '#test/render-page.tsx';
import { queries, queryClient } from '#web/queries.ts';

useEveryScreen();

const notice = () =>
  [...document.querySelectorAll('main a[href="/app/profile"]')]
    .filter(({ textContent }) => textContent === 'Change your address')
    .map((link) => link.parentElement?.textContent);

const screens = onePerScreen.filter((path) => path.startsWith('/app'));

test('every page below /app says that emails to the user are refused, and leads to the profile [KNOW-04]', async () => {
  expect(screens.length).toBeGreaterThan(15);
  const without: string[] = [];
  // In this example the flag of the user is set.
  respond(0);
  for (const path of screens) {
    await visit(path);
    // The notice is loaded with the first page.
    await vi.waitFor(() => expect(notice()).toHaveLength(1)).catch(() => {});
    if (notice().join() !== 'We cannot reach person-0@example.org. Change your address') without.push(path);
  }
  expect(without).toEqual([]);
});

test('the notice is not shown while the address works, and goes as soon as it works again [KNOW-04 KNOW-05]', async () => {
  respond(0);
  await visit('/app');
  expect(notice()).toHaveLength(1);
  queryClient.setQueryData(queries.user().queryKey, { ...ada, email_refused: false });
  await settle();
  expect(notice()).toEqual([]);
  respond(1);
  await visit('/app');
  await settle();
  expect(notice()).toEqual([]);
});
