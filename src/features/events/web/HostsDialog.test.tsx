import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Event, EventChange } from '#features/events/contract.ts';
import type { Attendee } from '#features/events/people-contract.ts';
import type { Member } from '#features/members/contract.ts';
import { ada, failure, press, renderPage, run, server, success } from '#test/render-page.tsx';
import EventPage from '#features/events/pages/web/EventPage.tsx';

await import('./HostsDialog.tsx');

const person = (name: string): Member => ({
  id: `id-of-${name.toLowerCase()}`,
  first_name: name,
  last_name: '',
  profile_picture_url: null,
  club_role: 0,
  section_ids: [],
});
const attendee = (name: string, attendee_role: Attendee['attendee_role'] = 'organiser'): Attendee => {
  const { id: attendee_id, club_role: _, ...named } = person(name);
  return { ...named, attendee_id, attendee_role, guests: 0 };
};
const everybody = ['Ada', 'Ben', 'Cyd', 'Dan'];

/** Shows the event page with these hosts, for Ada. */
function show(
  hosts: string[],
  {
    isPlanner = false,
    members = everybody,
    ...event
  }: Partial<Event> & { isPlanner?: boolean; members?: string[] } = {},
) {
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) =>
    url.includes('/clubs/id-of-rowers/members')
      ? success({ members: members.map(person), more: null })
      : fetch(url, init),
  );
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user: { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role: isPlanner ? 200 : 0 })) },
    event: {
      ...run,
      host: { host_first_name: hosts[0] ?? '', host_last_name: '', host_profile_picture_url: null },
      attendees: [...hosts.map((name) => attendee(name)), attendee('Dan', 'attendee')],
      ...(hosts.includes('Ada') && { my_role: 'organiser', my_answer: 'going' }),
      ...event,
    },
  });
}

const openHosts = async () => {
  // The menu of the bar of a host, or that of the header.
  const [menu] = screen.getAllByRole('button', { name: 'More actions' }).slice(-1);
  await userEvent.click(menu as HTMLElement);
  await userEvent.click(screen.getByRole('menuitem', { name: 'Hosts' }));
  return screen.findByRole('dialog', { name: 'Hosts' });
};
const rows = (dialog: HTMLElement) =>
  within(dialog)
    .getAllByRole('listitem')
    .map((row) => [...row.querySelectorAll('span.font-medium, button')].map((each) => each.textContent));
const actionsOn = async (name: string) => {
  await userEvent.click(screen.getByRole('button', { name: `Actions for ${name}` }));
  return screen.getAllByRole('menuitem').map(({ textContent }) => textContent);
};

test('hosts: the first host adds a member with one tap [HOST2-01]', async () => {
  show(['Ada', 'Ben']);
  const dialog = await openHosts();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add host' }));
  const candidates = await screen.findAllByRole('button', { name: /^(Ada|Ben|Cyd|Dan)/ });
  expect(candidates.map(({ textContent }) => textContent)).toEqual(['Cyd', 'Dan']);
  expect(screen.queryByRole('searchbox')).toBeNull();
  await userEvent.click(candidates[0] as HTMLElement);
  expect(server.sent).toEqual([{ call: 'PUT /api/v1/events/tuesday-run/hosts/id-of-cyd', body: {} }]);
});

test('hosts: the list of members of a large club has a search [HOST2-01]', async () => {
  show(['Ada'], { members: Array.from({ length: 40 }, (_, nth) => `Member${nth}`) });
  await openHosts();
  await press('Add host');
  expect(await screen.findByRole('searchbox', { name: 'Find a member' })).toBeDefined();
});

test('hosts: a club without other members says so [HOST2-01]', async () => {
  show(['Ada'], { members: ['Ada'] });
  await openHosts();
  await press('Add host');
  expect(await screen.findByText('Every member is a host.')).toBeDefined();
});

test('hosts: the first host removes another host, or makes one the first, after a question [HOST2-04 HOST2-05]', async () => {
  show(['Ada', 'Ben', 'Cyd']);
  const dialog = await openHosts();
  expect(rows(dialog)).toEqual([
    ['Ada (you)', 'Step down as host'],
    ['Ben', ''],
    ['Cyd', ''],
  ]);
  expect(within(dialog).getByText('First host').closest('li')?.textContent).toContain('Ada');
  expect(await actionsOn('Ben')).toEqual(['Make first host', 'Remove']);
  await userEvent.click(screen.getByRole('menuitem', { name: 'Remove' }));
  await actionsOn('Cyd');
  await userEvent.click(screen.getByRole('menuitem', { name: 'Make first host' }));
  const question = await screen.findByRole('alertdialog', { name: 'Make Cyd the first host?' });
  expect(question.textContent).toContain("You'll still be going, but you won't be a host any more.");
  await userEvent.click(within(question).getByRole('button', { name: 'Make first host' }));
  expect(server.sent).toEqual([
    { call: 'DELETE /api/v1/events/tuesday-run/hosts/id-of-ben', body: null },
    { call: 'PUT /api/v1/events/tuesday-run/host', body: { user_id: 'id-of-cyd' } },
  ]);
});

test('hosts: another host only steps down, after a question [HOST2-05]', async () => {
  show(['Ben', 'Ada', 'Cyd']);
  const dialog = await openHosts();
  expect(rows(dialog)).toEqual([['Ben'], ['Ada (you)', 'Step down as host'], ['Cyd']]);
  expect(within(dialog).queryByRole('button', { name: 'Add host' })).toBeNull();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Step down as host' }));
  const question = await screen.findByRole('alertdialog');
  await userEvent.click(within(question).getByRole('button', { name: 'Step down as host' }));
  expect(server.sent).toEqual([{ call: 'DELETE /api/v1/events/tuesday-run/hosts/id-of-ada', body: null }]);
});

test('hosts: the only host reads what to do before stepping down [HOST2-05]', async () => {
  show(['Ada']);
  const dialog = await openHosts();
  expect(rows(dialog)).toEqual([['Ada (you)']]);
  expect(dialog.textContent).toContain('To step down, add another host first.');
  expect(dialog.textContent).not.toContain('First host');
});

test('hosts: with six hosts, no other can be added [HOST2-01]', async () => {
  show(['Ada', 'Ben', 'Cyd', 'Eve', 'Fay', 'Gus']);
  const dialog = await openHosts();
  expect(within(dialog).queryByRole('button', { name: 'Add host' })).toBeNull();
  expect(dialog.textContent).toContain('An event can have six hosts.');
});

test('hosts: a planner who does not host changes the hosts too, and the reason is shown if it fails [HOST2-01 HOST2-05]', async () => {
  show(['Ben', 'Cyd'], { isPlanner: true });
  const dialog = await openHosts();
  expect(rows(dialog)).toEqual([
    ['Ben', ''],
    ['Cyd', ''],
  ]);
  expect(await actionsOn('Ben')).toEqual(['Remove']);
  server.respond = () => failure(403);
  await userEvent.click(screen.getByRole('menuitem', { name: 'Remove' }));
  const alert = await within(dialog).findByRole('alert');
  expect(alert.textContent).toContain("The hosts weren't changed");
});

test('host: a planner takes over after a question [HOST-01]', async () => {
  show(['Ben'], { isPlanner: true });
  await press('Take over as host');
  const question = await screen.findByRole('alertdialog', { name: 'Take over as host?' });
  expect(question.textContent).toContain(
    "You'll be the first host. Ben stays going, but is no host any more, and is told.",
  );
  await userEvent.click(within(question).getByRole('button', { name: 'Take over as host' }));
  expect(server.sent).toEqual([
    { call: 'PUT /api/v1/events/tuesday-run/host', body: { user_id: 'id-of-ada' } },
  ]);
});

const offers = () => screen.queryByRole('button', { name: /Take over/ });

test('hosts: members cannot change them, and nobody can once the event has ended or is cancelled [HOST2-01]', async () => {
  show(['Ben']);
  expect(offers()).toBeNull();
  expect(screen.queryByRole('button', { name: 'More actions' })).toBeNull();
  for (const part of [{ deleted_at: run.start_time }, { end_time: '2026-01-01T00:00:00.000Z' }]) {
    cleanup();
    show(['Ben'], { isPlanner: true, ...part });
    expect(offers()).toBeNull();
    const [menu] = screen.getAllByRole('button', { name: 'More actions' });
    await userEvent.click(menu as HTMLElement);
    expect(screen.queryByRole('menuitem', { name: 'Hosts' })).toBeNull();
  }
});

test('hosts: the page names all hosts, and the list of names marks each [HOST2-03]', async () => {
  show(['Ben', 'Cyd']);
  const facts = screen.getByRole('heading', { name: 'Host' }).parentElement as HTMLElement;
  expect([...facts.querySelectorAll('p')].map((line) => line.lastChild?.textContent)).toEqual(['Ben', 'Cyd']);
  const names = await screen.findByRole('list', { name: 'Attendees', hidden: true });
  const badges = within(names)
    .getAllByRole('listitem', { hidden: true })
    .map((row) => within(row).queryByText('Host') !== null);
  expect(badges).toEqual([true, true, false]);
});

const change = (part: Partial<EventChange>): EventChange => ({
  id: `id-of-${part.kind}-${part.new_host?.first_name}`,
  kind: 'host',
  changed_at: run.start_time,
  changed_by: { first_name: 'Ada', last_name: '' },
  new_host: null,
  before: {},
  after: {},
  reason: null,
  words: '',
  asked_again: false,
  undone_at: null,
  ...part,
});

test('history: says who became or stopped being a host, and who did it [HOST2-08]', async () => {
  const [self, other] = [
    { first_name: 'Ada', last_name: '' },
    { first_name: 'Ben', last_name: '' },
  ];
  show(['Ben'], {
    changes: (['host', 'host_added', 'host_removed'] as const).flatMap((kind) =>
      [self, other].map((new_host) => change({ kind, new_host })),
    ),
  });
  const list = await screen.findByRole('list', { name: 'Changes', hidden: true });
  const sentences = within(list)
    .getAllByRole('listitem', { hidden: true })
    .map((entry) => entry.firstChild?.textContent);
  expect(sentences).toEqual([
    'Ada took over as host',
    'Ada made Ben the host',
    'Ada became a host',
    'Ada made Ben a host',
    'Ada stepped down as host',
    'Ada removed Ben as a host',
  ]);
});
