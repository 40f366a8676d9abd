import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Club } from '#features/clubs/contract.ts';
import { hueOf } from '#wire/hue.ts';
import { landscapeOf } from '#ui/landscape.ts';
import { ada, news, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import ClubPage from './ClubPage.tsx';

const admin = { ...ada, club_role: 200 as const, section_ids: [] };
const bob = { ...admin, id: 'id-of-bob', first_name: 'Bob', club_role: 0 as const };
const nameless = { ...bob, id: 'id-of-nameless', first_name: '' };

const show = (club: Partial<Club> = {}, search = '') =>
  renderPage(<ClubPage />, {
    route: '/app/clubs/:slug',
    path: `/app/clubs/rowers${search}`,
    club: { ...rowers, members: [admin, bob, nameless], member_count: 3, ...club },
  });

const region = (name: RegExp) => screen.getByRole('region', { name });
const members = () => within(region(/^Members/)).getAllByRole('listitem');

test('club page: shows name, description, place, website, date, update and members [CLUB-04 CLUB-05 CLUB-07 CLUB-13 CLUB-14 CLUB-15 CLUB-16 CLUB-20 CLUB-21 CLUB-35 SEO-01 UX-36]', () => {
  show({
    club_description: 'Every Tuesday, whatever the weather.',
    latest_update: news,
  });
  expect(document.title).toBe('Muster - Harbour Rowers');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Harbour Rowers');
  const avatar = document.querySelector('header [data-initials=HR]')?.parentElement;
  expect(avatar?.dataset['hue']).toBe(`${hueOf('id-of-rowers')}`);
  const banner = document.querySelector<SVGElement>('header svg[data-hue]');
  expect(banner?.dataset['hue']).toBe(`${hueOf('id-of-rowers')}`);
  expect(banner?.querySelector('path')?.getAttribute('d')).toBe(landscapeOf('id-of-rowers').ridges[0]);
  for (const text of ['Every Tuesday, whatever the weather.', 'Pier 3', 'Joined June 2026'])
    expect(screen.getByText(text)).toBeDefined();
  expect(region(/^Latest update/).textContent).toContain('The boat is mended.');
  expect(members().map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('Ada (you)'),
    expect.stringContaining('Bob'),
    expect.stringContaining('New User'),
  ]);
  for (const name of ['Club Calendar', 'Leave club'])
    expect(screen.getByRole('button', { name })).toBeDefined();
});

test.each([
  ['its description', 'Every Tuesday.', 'Every Tuesday.'],
  ['a sentence with its name if it has no description', '', "Harbour Rowers's club on Muster!"],
])(
  'club page: link previews contain the name of the club and %s [SEO-02]',
  (_, club_description, description) => {
    show({ club_description });
    const tags = Object.fromEntries(
      [...document.querySelectorAll('meta')].map((tag) => [
        tag.getAttribute('property') ?? tag.name,
        tag.content,
      ]),
    );
    expect(tags).toMatchObject({ 'og:title': 'Harbour Rowers', 'og:description': description });
  },
);

test.each([
  ['rowers.example', 'https://rowers.example', 'rowers.example'],
  ['http://rowers.example/club', 'http://rowers.example/club', 'rowers.example/club'],
  ['https://rowers.example', 'https://rowers.example', 'rowers.example'],
])(
  'club page: the website %s is linked as %s and shown as %s [CLUB-17 CLUB-18 CLUB-19]',
  (website, href, shown) => {
    show({ meta: { website } });
    expect(screen.getByRole('link', { name: shown }).getAttribute('href')).toBe(href);
  },
);

test.each([
  ['shown to an admin in the list of members', 0, [{ ...admin, club_role: 200 }]],
  ['hidden from a member in the list of members', 200, [{ ...admin, club_role: 0 }]],
  ['hidden from an organiser in the list of members', 200, [{ ...admin, club_role: 100 }]],
  ['hidden from an organiser who is not in the list of members', 100, [bob]],
  ['hidden from a member who is not in the list of members', 0, [bob]],
  ['shown to an admin who is not in the list of members', 200, [bob]],
] as const)(
  'club page: the actions of an admin are %s [CLUB-22 CLUB-31 CLUB-32 CLUB-33 CLUB-34 ROLE-02]',
  (outcome, my_club_role, members) => {
    show({ my_club_role, members: [...members] });
    const shown = outcome.startsWith('shown');
    const path = '/app/clubs/rowers';
    for (const [name, href] of [
      ['Edit', `${path}/edit`],
      [/^Manage/, `${path}/members`],
      ['New event', '/app/rowers/new-event'],
      ['Create update', `${path}/new-update`],
    ] as const)
      expect(screen.queryByRole('link', { name })?.getAttribute('href')).toBe(shown ? href : undefined);
    expect(screen.queryByRole('button', { name: 'Invite members' }) !== null).toBe(shown);
  },
);

/** jsdom has no layout that could be observed. */
const stubResizeObserver = () =>
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );

test('members: admins have a crown with a label and a tooltip [CLUB-36]', async () => {
  stubResizeObserver();
  show({ members: [admin, { ...bob, club_role: 200 }, nameless] });
  const crowns = members().map((member) => within(member).queryByRole('img')?.getAttribute('aria-label'));
  expect(crowns).toEqual(['You are an admin of this club', 'Admin', undefined]);
  await userEvent.hover(screen.getByRole('img', { name: 'Admin' }));
  const tooltip = await screen.findByRole('tooltip', {}, { timeout: 10_000 });
  expect(tooltip.textContent).toBe('Admin');
});

const link = () => screen.queryByRole('link', { name: 'New event' })?.getAttribute('href');

test('club page: only admins see the link to a new event [CLUB-33]', () => {
  show({ members: [{ ...admin, club_role: 0 }], my_club_role: 0 });
  expect(link()).toBeUndefined();
  cleanup();
  show();
  expect(link()).toBe('/app/rowers/new-event');
});

const links = () =>
  ['New event', 'Create update', 'Edit', /^Manage/].map(
    (name) => screen.queryByRole('link', { name })?.getAttribute('href') ?? null,
  );

test('club page: an organiser who plans sees what planners do, and nothing of what admins do [ROLE2-08 LOG-01]', async () => {
  stubResizeObserver();
  const path = '/app/clubs/rowers';
  const organiser = { members: [{ ...admin, club_role: 100 as const }], my_club_role: 100 as const };
  show({ ...organiser, organisers_plan: true });
  expect(links()).toEqual(['/app/rowers/new-event', `${path}/new-update`, null, null]);
  expect(screen.queryByRole('button', { name: 'Invite members' })).toBeNull();
  expect(await inMenu()).toEqual(['Club Calendar', 'Contact', 'Mute this club', 'Leave club']);
  cleanup();
  show({ ...organiser, organisers_plan: false });
  expect(links()).toEqual([null, null, null, null]);
  cleanup();
  show();
  expect(links().slice(2)).toEqual([`${path}/edit`, `${path}/members`]);
  await press('More actions');
  expect(screen.getByRole('menuitem', { name: 'Log' }).getAttribute('href')).toBe(`${path}/log`);
});

const inMenu = async () => {
  await press('More actions');
  return screen.getAllByRole('menuitem').map(({ textContent }) => textContent);
};

test('club page: the menu of a phone has what is needed once in a while, and opens its dialogs [CLUBUX-01]', async () => {
  stubResizeObserver();
  show({ my_club_role: 0, members: [{ ...admin, club_role: 0 }] });
  expect(await inMenu()).toEqual(['Contact', 'Mute this club', 'Leave club']);
  cleanup();
  show();
  expect(await inMenu()).toEqual(['Club Calendar', 'Edit', 'Log', 'Contact', 'Mute this club', 'Leave club']);
  expect(screen.getByRole('menuitem', { name: 'Edit' }).getAttribute('href')).toBe('/app/clubs/rowers/edit');
  await userEvent.click(screen.getByRole('menuitem', { name: 'Leave club' }));
  const question = await screen.findByRole('alertdialog', { name: 'Leave this club?' });
  await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
  await inMenu();
  await userEvent.click(screen.getByRole('menuitem', { name: 'Club Calendar' }));
  await screen.findByRole('dialog', { name: 'Club Calendar' }, { timeout: 10_000 });
});

const choir = Array.from({ length: 30 }, (_, n) => ({ ...bob, id: `id-of-${n}`, first_name: `Singer ${n}` }));

test('club page: shows eight faces with names, and all members behind one tap [CLUBUX-03]', async () => {
  show({ members: choir.slice(0, 29), member_count: 29 });
  expect(members()).toHaveLength(8);
  await press('Show all 29 members');
  await vi.waitFor(() => expect(members()).toHaveLength(29));
  expect(screen.queryByRole('searchbox')).toBeNull();
});

test('club page: from 30 members on, the list has a search by name [CLUBUX-03]', async () => {
  show({ members: choir, member_count: 30 });
  await press('Show all 30 members');
  server.read = (url) => success({ members: /q=29(&|$)/.test(url) ? choir.slice(29) : [], more: null });
  const find = await screen.findByRole('searchbox', { name: 'Find a member' });
  await userEvent.type(find, '29');
  await vi.waitFor(() => expect(members().map(({ textContent }) => textContent)).toEqual(['Singer 29']));
  await userEvent.type(find, 'x');
  await screen.findByText('No member of this club has “29x” in their name.');
  await userEvent.clear(find);
  await vi.waitFor(() => expect(members()).toHaveLength(30));
});

test('club page: members see the sections of each member, also in a small club, and list those of one section [SECT-03]', async () => {
  const sections = [
    { id: 'id-of-tenor', name: 'Tenor', members: 1 },
    { id: 'id-of-bass', name: 'Bass', members: 0 },
  ];
  const singer = { ...bob, section_ids: ['id-of-tenor'] };
  server.read = (path) =>
    path.endsWith('/sections')
      ? success(sections)
      : success({ members: path.includes('section=id-of-tenor') ? [singer] : [], more: null });
  show({ members: [admin, singer], member_count: 2 });
  await press('Show all 2 members');
  await vi.waitFor(() =>
    expect(members().map(({ textContent }) => textContent)).toEqual(['Ada (you)', 'BobTenor']),
  );
  await press('Tenor');
  await vi.waitFor(() => expect(members().map(({ textContent }) => textContent)).toEqual(['BobTenor']));
  await press('Bass');
  await screen.findByText('Nobody is in this section yet.');
  await press('Bass');
  await vi.waitFor(() => expect(members()).toHaveLength(2));
});

test('club page: a small club without sections has no list behind its faces [SECT-03 CLUBUX-03]', () => {
  show({ members: [admin, bob], member_count: 2 });
  expect(screen.queryByRole('button', { name: /Show all/ })).toBeNull();
});

const month = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Month' });
const mine = () => screen.getByRole<HTMLInputElement>('radio', { name: 'Mine' });

test("club page: 'Mine' and the month are in the address, which restores them after Back or a reload [CLUBUX-03]", async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  server.read = () => success({ events: [], more: null });
  const router = show({ event_count: 30 });
  const { value = '', text = '' } = month().options[2] ?? {};
  await userEvent.click(mine());
  await userEvent.selectOptions(month(), value);
  const { pathname, search } = router.state.location;
  expect(pathname + search).toBe(`/app/clubs/rowers?whose=mine&month=${value}`);
  // The address of the page before is replaced, so that one step back leaves the club.
  expect(router.state.historyAction).toBe('REPLACE');
  cleanup();
  show({ event_count: 30 }, search);
  expect([mine().checked, month().value]).toEqual([true, value]);
  await screen.findByText(`No events of yours in ${text}.`);
  cleanup();
  show({ event_count: 30 }, '?month=20270-5&whose=theirs');
  expect([mine().checked, month().value]).toEqual([false, '']);
});
