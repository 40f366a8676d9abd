import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Club } from '#features/clubs/contract.ts';
import { compareClocks } from '#wire/server-time.ts';
import { ada, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import { toasts } from '#ui/toast.ts';
import { localStore } from '#web/first/storage.ts';
import ClubPage from './ClubPage.tsx';

const me = { id: ada.id, first_name: 'Ada', last_name: '' };
const mia = { id: 'id-of-mia', first_name: 'Mia', last_name: 'Berg' };
const until = '2026-12-11T12:00:00.000Z';
const question = 'Make somebody a second admin, so that Harbour Rowers carries on without you.';

afterEach(() => {
  localStore.remove('notNow');
  compareClocks(new Date(Date.now()).toUTCString());
});

const expectToast = (title: string, text?: string) =>
  vi.waitFor(() => expect(toasts().find(({ open }) => open)).toMatchObject({ title, ...(text && { text }) }));

/** Sets the clock of the server ahead. */
const afterDays = (days: number) => compareClocks(new Date(Date.now() + days * 86_400_000).toUTCString());

/** Shows the page of a club, which is then read as `next`. */
function show(part: Partial<Club>, next: Partial<Club> = {}) {
  server.read = (path) =>
    success(path.includes('/clubs/') ? { ...rowers, ...part, ...next } : path.includes('/users') ? ada : []);
  return renderPage(<ClubPage />, {
    route: '/app/clubs/:slug',
    path: '/app/clubs/rowers',
    club: { ...rowers, ...part },
  });
}

test('club page: asks the only admin for a second one, with a link to the members page [CARE-01]', () => {
  show({ needs_second_admin: true });
  expect(screen.getByText(question)).toBeDefined();
  const link = screen.getByRole('link', { name: 'Make somebody a second admin…' });
  expect(link.getAttribute('href')).toBe('/app/clubs/rowers/members');
});

test('club page: does not ask for a second admin if the club needs none [CARE-01]', () => {
  show({ needs_second_admin: false });
  expect(screen.queryByText(question)).toBeNull();
});

test("club page: 'Not now' hides the banner of this club in this browser for 90 days [CARE-02]", async () => {
  show({ needs_second_admin: true });
  await press('Not now');
  expect(screen.queryByText(question)).toBeNull();
  expect(server.sent).toEqual([]);
  const shows = (part: Partial<Club> = {}) => {
    cleanup();
    show({ needs_second_admin: true, ...part });
    return screen.queryByText(/^Make somebody a second admin, /) !== null;
  };
  expect(shows()).toBe(false);
  expect(shows({ id: 'id-of-walkers' })).toBe(true);
  afterDays(89);
  expect(shows()).toBe(false);
  afterDays(90.01);
  expect(shows()).toBe(true);
});

test('club page: shows the banner if the storage holds something else [CARE-02]', () => {
  localStore.set('notNow', '{');
  show({ needs_second_admin: true });
  expect(screen.getByText(question)).toBeDefined();
});

test.each([
  ['stay', 'You become an admin, and Mia Berg stays one too. Decide by Fri, Dec 11.'],
  ['step_down', 'You become an admin, and Mia Berg becomes a member. Decide by Fri, Dec 11.'],
  ['leave', 'You become an admin, and Mia Berg leaves the club. Decide by Fri, Dec 11.'],
] as const)(
  'club page: an offer says who makes it, what follows and until when: %s [CARE-03]',
  (afterwards, text) => {
    show({ my_club_role: 0, handover: { from: mia, to: me, afterwards, until } });
    expect(screen.getByText('Mia Berg would like to hand over Harbour Rowers to you')).toBeDefined();
    expect(document.body.textContent).toMatch(
      new RegExp(text.replace(/Fri, Dec 11/, 'Fri,? (11 Dec|Dec 11)')),
    );
    expect(screen.queryByText(question)).toBeNull();
  },
);

test.each([
  ['Accept', 'accept', "You're now an admin of Harbour Rowers"],
  ['Decline', 'decline', 'Offer declined'],
])("club page: '%s' answers the offer, which is then gone [CARE-03 CARE-04]", async (button, call, toast) => {
  const offer = {
    my_club_role: 0 as const,
    handover: { from: mia, to: me, afterwards: 'stay' as const, until },
  };
  show(offer, { handover: null });
  server.respond = () => success(null);
  await press(button);
  await expectToast(toast);
  expect(server.sent).toEqual([{ call: `POST /api/v1/clubs/rowers/handovers/id-of-mia/${call}`, body: {} }]);
  await waitFor(() => expect(screen.queryByText(/would like to hand over/)).toBeNull());
});

test('club page: an offer that has ended is gone after the answer, with the reason [CARE-06]', async () => {
  show({ handover: { from: mia, to: me, afterwards: 'stay', until } }, { handover: null });
  server.respond = () => Response.json({ data: null, status: 409, error: 'offer_ended' }, { status: 409 });
  await press('Accept');
  await expectToast("Your answer wasn't saved", 'This offer has ended.');
  await waitFor(() => expect(screen.queryByText(/would like to hand over/)).toBeNull());
});

test('club page: an admin reads the own offer, which replaces the banner, and withdraws it [CARE-01 CARE-06]', async () => {
  const offer = {
    needs_second_admin: true,
    handover: { from: me, to: mia, afterwards: 'stay' as const, until },
  };
  show(offer, { handover: null });
  expect(screen.getByText('You offered Harbour Rowers to Mia Berg')).toBeDefined();
  expect(screen.queryByText(question)).toBeNull();
  server.respond = () => success(null);
  await press('Withdraw');
  await expectToast('Offer withdrawn');
  expect(server.sent).toEqual([{ call: 'DELETE /api/v1/clubs/rowers/handovers', body: null }]);
  await screen.findByText(question);
});
