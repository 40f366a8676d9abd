import { cleanup, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { LogEntry } from '#features/members/log-contract.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { failure, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import LogPage from './LogPage.tsx';

const member = (first_name: string) => ({ is_member: true, first_name, last_name: '' });
const former = { is_member: false, first_name: '', last_name: '' };
const [ada, bob] = [member('Ada'), member('Bob')];

const entry = (id: number, part: Partial<LogEntry>): LogEntry => ({
  id: `id-${id}`,
  at: `2026-06-${10 + (id % 20)}T18:30:00.000Z`,
  kind: 'link_made',
  actor: ada,
  person: null,
  details: {},
  ...part,
});

function show(my_club_role: ClubRole = 200) {
  renderPage(<LogPage />, {
    route: '/app/clubs/:slug/log',
    path: '/app/clubs/rowers/log',
    club: { ...rowers, my_club_role },
  });
}

const entries = () =>
  screen.getAllByRole('listitem').map((item) =>
    within(item)
      .getAllByText(/./)
      .map(({ textContent }) => textContent),
  );
const texts = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent);

test('log page: says in words who changed what, with the names of now [LOG-01 LOG-02 CARE-04 SECT-01 LIST-02]', async () => {
  server.read = () =>
    success({
      entries: [
        ...(['stay', 'step_down', 'leave'] as const).map((afterwards, n) =>
          entry(19 - n, { kind: 'handover_accepted', actor: bob, person: ada, details: { afterwards } }),
        ),
        entry(15, { kind: 'handover_ended', actor: bob, person: ada, details: { reason: 'declined' } }),
        entry(14, { kind: 'handover_ended', person: bob, details: { reason: 'withdrawn' } }),
        entry(13, { kind: 'handover_offered', person: bob, details: { afterwards: 'stay' } }),
        entry(9, { kind: 'role', person: bob, details: { role: { before: 0, now: 100 } } }),
        entry(8, { kind: 'role', actor: bob, person: former, details: { role: { before: 200, now: 0 } } }),
        entry(7, { kind: 'ejected', person: former }),
        entry(6, { kind: 'ejected', actor: null, person: null }),
        entry(5, {
          kind: 'settings',
          details: { fields: ['club_name', 'organisers_plan', 'profile_banner_url'] },
        }),
        entry(24, {
          kind: 'sections',
          details: { sections: ['added', 'renamed', 'ordered', 'removed', 'members'] },
        }),
        entry(1, { kind: 'export', details: { list: 'members' } }),
        entry(4, { kind: 'link_deleted', actor: former }),
        entry(3, {}),
        entry(2, { kind: 'founded' }),
      ],
      more: null,
    });
  show();
  await screen.findByText('Club founded');
  expect(texts()).toEqual([
    'Club taken over from Ada, who stays an adminBob·6:30 pm',
    'Club taken over from Ada, now a memberBob·6:30 pm',
    'Club taken over from Ada, who leftBob·6:30 pm',
    'Offer by Ada declinedBob·6:30 pm',
    'Offer to Bob withdrawnAda·6:30 pm',
    'Club offered to BobAda·6:30 pm',
    'Bob is now an organiser instead of a memberAda·6:30 pm',
    'A former member is now a member instead of an adminBob·6:30 pm',
    'A former member was removedAda·6:30 pm',
    'Someone was removedSomeone·6:30 pm',
    'Changed: name, what organisers may do and bannerAda·6:30 pm',
    'Sections: added, renamed, put in another order, removed and members changedAda·6:30 pm',
    'Invite link deletedA former member·6:30 pm',
    'List of members downloadedAda·6:30 pm',
    'New invite linkAda·6:30 pm',
    'Club foundedAda·6:30 pm',
  ]);
  expect(screen.getAllByRole('heading', { level: 2 })[0]?.textContent).toBe('29 Jun 2026');
  expect(entries()).toHaveLength(16);
});

test('log page: without entries it says so, and more entries follow on demand [LOG-01]', async () => {
  server.read = () => success({ entries: [], more: null });
  show();
  await screen.findByText('Nothing to show yet.');
  cleanup();
  const { queryClient } = await import('#web/queries.ts');
  queryClient.clear();
  server.read = (path) =>
    success(
      path.includes('after=next')
        ? { entries: [entry(1, { kind: 'founded' })], more: null }
        : { entries: [entry(2, {})], more: 'next' },
    );
  show();
  await press('Show more entries');
  await screen.findByText('Club founded');
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  expect(screen.queryByRole('button', { name: 'Show more entries' })).toBeNull();
});

test('log page: offers another try if it could not be loaded [LOG-01]', async () => {
  server.read = () => failure(403);
  show();
  await screen.findByText("We couldn't load the log");
  server.read = () => success({ entries: [], more: null });
  await press('Try again');
  await screen.findByText('Nothing to show yet.');
});

test.each([0, 100] as const)('log page: shows role %i nothing, and requests nothing [LOG-01]', (role) => {
  const requested: string[] = [];
  server.read = (path) => {
    requested.push(path);
    return failure(403);
  };
  show(role);
  expect(screen.getByText('Only club admins can view this page')).toBeDefined();
  expect(requested).toEqual([]);
});
