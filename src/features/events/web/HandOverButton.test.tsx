import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Event } from '#features/events/contract.ts';
import type { Attendee } from '#features/events/people-contract.ts';
import type { Member } from '#features/members/contract.ts';
import { ada, press, renderPage, rowers, run, server, success } from '#test/render-page.tsx';
import EventPage from '#features/events/pages/web/EventPage.tsx';

await import('./HandOverDialog.tsx');

const person = (name: string, club_role: Member['club_role']): Member => ({
  id: `id-of-${name.toLowerCase()}`,
  first_name: name,
  last_name: '',
  profile_picture_url: null,
  club_role,
  section_ids: [],
});
const host = {
  ...person('Cyd', 200),
  attendee_id: 'id-of-cyd',
  attendee_role: 'organiser',
  guests: 0,
} as Attendee;

/** Shows the event page. The members of the club come from the fake server. */
function show(event: Partial<Event> = {}, club_role: Member['club_role'] = 200, organisers_plan = false) {
  const members = [
    person('Cyd', 200),
    person('Dan', 200),
    person('Ada', club_role),
    person('Olga', 100),
    person('Bob', 0),
  ];
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) =>
    url.endsWith('/clubs/id-of-rowers') ? success({ ...rowers, organisers_plan, members }) : fetch(url, init),
  );
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user: { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role })) },
    club: { ...rowers, organisers_plan },
    event: { ...run, attendees: [host], ...event },
  });
}

const options = async () => {
  const dialog = await screen.findByRole('dialog');
  await within(dialog).findAllByRole('radio');
  return within(dialog)
    .getAllByRole<HTMLInputElement>('radio')
    .map((radio) => [radio.closest('label')?.textContent, radio.checked]);
};

test('host: an admin can take over, or make another admin the host [HOST-01]', async () => {
  show();
  await press('Take over as host');
  expect(await options()).toEqual([
    ['Ada (you)', true],
    ['Dan', false],
  ]);
  await userEvent.click(screen.getByRole('radio', { name: /Dan/ }));
  await press('Make host');
  expect(server.sent).toEqual([
    { call: 'PUT /api/v1/events/tuesday-run/host', body: { user_id: 'id-of-dan' } },
  ]);
});

test('host: the host can hand over to an admin from the menu [HOST-01 HOSTUX-01]', async () => {
  show({ my_role: 'organiser', attendees: [{ ...host, attendee_id: 'id-of-ada' }] }, 0);
  const bar = document.querySelector<HTMLElement>('[data-bottom-bar]') as HTMLElement;
  await userEvent.click(within(bar).getByRole('button', { name: 'More actions' }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Hand over' }));
  expect(await options()).toEqual([
    ['Cyd', false],
    ['Dan', false],
  ]);
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Make host' });
  expect(button.disabled).toBe(true);
});

test('host: organisers who plan can take over, and become hosts [HOST-01 ROLE2-08]', async () => {
  show({}, 100, true);
  await press('Take over as host');
  expect(await options()).toEqual([
    ['Ada (you)', true],
    ['Dan', false],
    ['Olga', false],
  ]);
});

const offer = () => screen.queryByRole('button', { name: /Take over|Hand over/ });

test('host: members cannot change the host, and nobody can once the event has ended or is cancelled', () => {
  show({}, 100);
  expect(offer()).toBeNull();
  for (const part of [{ deleted_at: run.start_time }, { end_time: '2026-01-01T00:00:00.000Z' }]) {
    cleanup();
    show(part);
    expect(offer()).toBeNull();
  }
});
