import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { queries, queryClient } from '#web/queries.ts';
import { toasts } from '#ui/toast.ts';
import { ClubMenu } from '#features/clubs/web/ClubMenu.tsx';
import { failure, press, renderPage, rowers, server, success } from '#test/render-page.tsx';

const shown = () => queryClient.getQueryData(queries.club(rowers.slug).queryKey)?.muted;

async function open(muted: boolean, item: string) {
  const club = { ...rowers, muted };
  renderPage(<ClubMenu club={club} admin={false} />, { club });
  await press('More actions');
  (await screen.findByRole('menuitem', { name: item })).click();
  return screen.findByRole('alertdialog');
}

test('club menu: mutes the club after it said what still arrives [CHAN-06]', async () => {
  const dialog = await open(false, 'Mute this club');
  expect(dialog.textContent).toContain(
    'Only moves, cancellations and other essential news reach your email and devices. The bell still shows everything.',
  );
  server.respond = () => success({ muted: true });
  await press('Mute');
  expect(server.sent).toEqual([{ call: `PUT /api/v1/clubs/${rowers.slug}/mute`, body: { muted: true } }]);
  await waitFor(() => expect(toasts().at(-1)?.title).toBe('Muted'));
  expect(shown()).toBe(true);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('club menu: ends the mute [CHAN-06]', async () => {
  await open(true, 'Unmute this club');
  server.respond = () => success({ muted: false });
  await press('Unmute');
  expect(server.sent).toMatchObject([{ body: { muted: false } }]);
  expect(shown()).toBe(false);
});

test('club menu: a mute that fails says so and changes nothing [CHAN-06]', async () => {
  await open(false, 'Mute this club');
  server.respond = () => failure(500);
  await press('Mute');
  await waitFor(() => expect(toasts().at(-1)?.title).toBe("The club wasn't muted"));
  expect(shown()).toBe(false);
  expect(screen.getByRole('alertdialog')).toBeDefined();
});
