import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Club } from '#features/clubs/contract.ts';
import type { MemberForAdmin } from '#features/members/contract.ts';
import type { Section } from '#features/sections/contract.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { ada, expectToast, failure, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import { toasts } from '#ui/toast.ts';
import MembersPage from './MembersPage.tsx';

const person = (first_name: string, club_role: ClubRole) => ({
  ...ada,
  id: `id-of-${first_name.toLowerCase()}`,
  first_name,
  club_role,
  section_ids: [],
});
const club: Club = {
  ...rowers,
  members: [person('Ada', 200), person('Olga', 100), person('Bob', 0)],
  member_count: 3,
};
const question = 'Let organisers plan events and publish updates?';

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
});

/** Shows the page of a club that the fake server stores. */
function show(part: Partial<Club> = {}, members: MemberForAdmin[] = [], sections: Section[] = []) {
  let stored = { ...club, ...part };
  server.read = (path) => {
    if (path.endsWith('/sections')) return success(sections);
    const [, section = ''] = /section=([\w-]+)/.exec(path) ?? [];
    const found = members.filter(({ section_ids }) => !section || section_ids.includes(section));
    return success(
      path.includes('/admin/') ? { members: found, more: null } : path.includes('/clubs/') ? stored : ada,
    );
  };
  server.respond = (body) => {
    stored = { ...stored, ...(body as Partial<Club>), version: stored.version + 1 };
    return success({ id: club.id, slug: club.slug, club_name: club.club_name, version: stored.version });
  };
  return renderPage(<MembersPage />, {
    route: '/app/clubs/:slug/members',
    path: '/app/clubs/rowers/members',
    club: stored,
  });
}

test.each([
  ['Yes', true],
  ['No', false],
])(
  'members page: asks whether organisers plan, and "%s" answers it for all admins [ROLE2-03]',
  async (answer, organisers_plan) => {
    show();
    expect(await screen.findByText(question)).toBeDefined();
    await press(answer);
    await expectToast('Success', 'You have updated this club');
    expect(server.sent).toEqual([{ call: 'PATCH /api/v1/clubs/rowers', body: { organisers_plan } }]);
    await waitFor(() => expect(screen.queryByText(question)).toBeNull());
  },
);

test.each([
  ['the club has no organiser', { members: [person('Ada', 200), person('Bob', 0)] }],
  ['an admin has answered yes', { organisers_plan: true }],
  ['an admin has answered no', { organisers_plan: false }],
  ['the viewer is no admin', { my_club_role: 100, members: [person('Ada', 100)] }],
] as [string, Partial<Club>][])(
  'members page: does not ask about organisers if %s [ROLE2-03]',
  async (_, part) => {
    show(part);
    // The code of the question is loaded by the test before, so it would be here by now.
    await act(() => import('./AskAboutOrganisers.tsx'));
    expect(screen.queryByText(question)).toBeNull();
  },
);

test('members page: the question stays if the answer was not saved [ROLE2-03]', async () => {
  show();
  await screen.findByText(question);
  server.respond = () => failure(503);
  await press('Yes');
  await vi.waitFor(() =>
    expect(toasts().find(({ open }) => open)).toMatchObject({ title: "Your choice wasn't saved" }),
  );
  expect(screen.getByText(question)).toBeDefined();
});

const memberForAdmin = (first_name: string, club_role: ClubRole): MemberForAdmin => ({
  ...person(first_name, club_role),
  user_name: '',
  email: `${first_name}@example.org`,
  club_name: club.club_name,
});

const names = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);

test('members page: shows the sections of each member, and lists those of one section [SECT-03]', async () => {
  const sections = ['tenor', 'bass'].map((name) => ({ id: `id-of-${name}`, name, members: 1 }));
  const bob = { ...memberForAdmin('Bob', 0), section_ids: ['id-of-bass'] };
  show({ organisers_plan: true }, [memberForAdmin('Ada', 200), bob], sections);
  await vi.waitFor(() => expect(names()).toEqual(['Ada (you)', 'Bobbass']));
  expect(screen.getByRole('link', { name: 'Sections' }).getAttribute('href')).toBe(
    '/app/clubs/rowers/sections',
  );
  await press('bass');
  await vi.waitFor(() => expect(names()).toEqual(['Bobbass']));
  expect(screen.getByRole('button', { name: 'bass' }).getAttribute('aria-pressed')).toBe('true');
  await press('tenor');
  await screen.findByText('Nobody is in this section yet.');
});

test.each([true, false])(
  "members page: says 'Email does not arrive' with exactly the members whose address is refused (wide: %s) [KNOW-07]",
  async (isWide) => {
    vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: isWide }));
    const bob = { ...memberForAdmin('Bob', 0), email_refused: true };
    show({ organisers_plan: true }, [memberForAdmin('Ada', 200), bob]);
    const mark = await screen.findByText('Email does not arrive');
    const row = mark.closest(isWide ? 'tr' : 'li');
    expect(row?.textContent).toContain('Bob');
    expect(screen.getAllByText('Email does not arrive')).toHaveLength(1);
  },
);

/** Opens the dialog that offers the club to Bob. */
async function openOffer(part: Partial<Club> = {}) {
  show({ organisers_plan: true, ...part }, [memberForAdmin('Ada', 200), memberForAdmin('Bob', 0)]);
  await press('More actions for Bob');
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Hand over to Bob…' }));
  return screen.findByRole('dialog', { name: 'Hand over Harbour Rowers to Bob' });
}

test.each([
  ['Stay an admin', 'stay'],
  ['Become a member', 'step_down'],
  ['Leave the club', 'leave'],
])("members page: offers the club to a member with '%s' [CARE-03]", async (label, afterwards) => {
  const dialog = await openOffer();
  const choices = within(dialog).getAllByRole<HTMLInputElement>('radio');
  expect(choices.map(({ checked }) => checked)).toEqual([true, false, false]);
  await userEvent.click(within(dialog).getByRole('radio', { name: label }));
  server.respond = () => success({ until: '2026-12-11T12:00:00.000Z' });
  await press('Offer');
  await vi.waitFor(() =>
    expect(toasts().find(({ open }) => open)).toMatchObject({ title: 'Offered to Bob' }),
  );
  expect(server.sent).toEqual([
    { call: 'POST /api/v1/clubs/rowers/handovers', body: { user_id: 'id-of-bob', afterwards } },
  ]);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('members page: another admin gets no offer [CARE-05]', async () => {
  show({ organisers_plan: true }, [memberForAdmin('Cyd', 200), memberForAdmin('Bob', 0)]);
  await screen.findByRole('button', { name: 'More actions for Bob' });
  expect(screen.queryByRole('button', { name: 'More actions for Cyd' })).toBeNull();
});

test('members page: an offer names the one that it replaces, and says why it was not made [CARE-05]', async () => {
  const [from, to] = [person('Ada', 200), { ...person('Olga', 100), last_name: '' }];
  const dialog = await openOffer({
    handover: { from, to, afterwards: 'stay', until: '2026-12-11T12:00:00.000Z' },
  });
  expect(within(dialog).getByText('This replaces your offer to Olga.')).toBeDefined();
  server.respond = () => Response.json({ data: null, status: 409, error: 'already_admin' }, { status: 409 });
  await press('Offer');
  await within(dialog).findByText("Your offer wasn't made");
  expect(dialog.textContent).toContain('This member is already an admin.');
});

const memberOf = (name: string, club_role: ClubRole): MemberForAdmin => ({
  ...person(name, club_role),
  user_name: '',
  email: `${name}@example.org`,
  club_name: club.club_name,
});

describe('list of members', () => {
  test('Print reads all pages, and puts a box to tick beside each name, without buttons [LIST-04]', async () => {
    const print = vi.fn();
    vi.stubGlobal('print', print);
    show();
    const sections = ['Alto', 'Tenor'].map((name) => ({ id: name.toLowerCase(), name, members: 1 }));
    const pages = [
      { members: [memberOf('Ada', 200), { ...memberOf('Bob', 0), section_ids: ['tenor'] }], more: 'next' },
      // Bob has moved to the next page meanwhile.
      { members: [{ ...memberOf('Bob', 0), section_ids: ['tenor'] }, memberOf('Olga', 100)], more: null },
    ];
    server.read = (path) =>
      success(path.includes('/sections') ? sections : pages[Number(path.includes('after=next'))]);
    await press('Print');
    await waitFor(() => expect(print).toHaveBeenCalledOnce());
    const printed = document.querySelector<HTMLElement>('[data-printed]');
    expect(printed?.querySelector('h1')?.textContent).toBe('Harbour Rowers members');
    const rows = [...(printed?.querySelectorAll('li') ?? [])];
    expect(rows.map(({ textContent }) => textContent)).toEqual(['Bob', 'Ada · Admin', 'Olga · Organiser']);
    const headings = [...(printed?.querySelectorAll('h2') ?? [])];
    expect(headings.map(({ textContent }) => textContent)).toEqual(['Tenor', 'Others']);
    expect(rows.every((row) => row.querySelector('span[aria-hidden]'))).toBe(true);
    expect(printed?.querySelector('button, a')).toBeNull();
    expect(document.documentElement.dataset).toHaveProperty('printing');
    cleanup();
    expect(document.documentElement.dataset).not.toHaveProperty('printing');
  });

  test('Download list saves the file of the server, and a failure is said [LIST-02]', async () => {
    const saved: { name: string; text: Promise<string> }[] = [];
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      saved.push({ name: '', text: (blob as Blob).text() });
      return 'blob:file';
    });
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      Object.assign(saved.at(-1) ?? {}, { name: this.download });
    });
    show();
    server.respond = () => success({ file_name: 'members.csv', content: '\uFEFFName\r\n' });
    await press('Download list');
    await waitFor(() => expect(saved).toMatchObject([{ name: 'members.csv' }]));
    expect(server.sent).toEqual([{ call: 'POST /api/v1/clubs/rowers/members/export', body: {} }]);
    server.respond = () => failure(500);
    await press('Download list');
    await waitFor(() => expect(toasts().map(({ title }) => title)).toContain("The list wasn't downloaded"));
    expect(saved).toHaveLength(1);
  });
});
