import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest';
import type { Club } from '#features/clubs/contract.ts';
import type { Event, EventCard } from '#features/events/contract.ts';
import { lazyClubParts } from '#features/clubs/web/LazyClubParts.tsx';
import { lazyEventParts } from '#features/events/pages/web/LazyEventParts.tsx';
import type { ListedUpdate } from '#features/updates/contract.ts';
import type { ClubRole, User } from '#features/users/contract.ts';
import { loadParts } from '#ui/LazyPart.tsx';
import { dismissToast, toasts } from '#ui/toast.ts';
import { queries, queryClient } from '#web/queries.ts';
import { endSession, keys, setNavigation } from '#web/first/session.ts';

// Pages load these when they are first needed, which takes long on a busy machine.
await import('#ui/ConfirmDialog.tsx');
await import('#features/members/web/AllMembers.tsx');
// The routes of a club and an event load them before their page.
await loadParts([...lazyClubParts, ...lazyEventParts]);

export const success = (data: unknown, status = 200) =>
  Response.json({ data, status, error: null }, { status });
export const failure = (status: number) =>
  Response.json({ data: null, status, error: 'internal' }, { status });

interface FakeServer {
  /** The writes that the server received. */
  sent: { call: string; body: unknown }[];
  /** Responds to a write, given its body and its `If-Match`. */
  respond: (body: unknown, version: string | null) => Promise<Response> | Response;
  /** Responds to reads, by default with 404, because pages show the data given to `renderPage`. */
  read: (path: string) => Promise<Response> | Response;
}

/** A fake server for the page under test. */
export const server: FakeServer = { sent: [], respond: () => success(null), read: () => failure(404) };

/** Popovers use it, and jsdom lacks it. */
class NoResizes {
  observe() {}
  disconnect() {}
}

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', NoResizes);
  Object.assign(server, { sent: [], respond: () => success(null), read: () => failure(404) });
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body, headers }: RequestInit = {}) => {
    if (method === 'GET') return server.read(url);
    const input = JSON.parse(String(body ?? null)) as unknown;
    server.sent.push({ call: `${method} ${url}`, body: input });
    return server.respond(input, new Headers(headers).get('if-match'));
  });
});

afterEach(() => {
  cleanup();
  queryClient.clear();
  for (const { id } of toasts()) dismissToast(id);
  localStorage.removeItem(keys.drafts);
  window.history.replaceState(null, '');
  vi.unstubAllGlobals();
});

// The next file runs with the same modules in the same document.
afterAll(async () => {
  vi.useRealTimers();
  setNavigation({ here: () => '/', go: () => {} });
  await endSession();
  localStorage.clear();
  window.history.replaceState(null, '', '/');
  for (const part of [document.head, document.body]) part.replaceChildren();
});

export const ada: User = {
  id: 'id-of-ada',
  email: 'ada@example.org',
  pending_email: null,
  email_refused: false,
  user_name: '',
  first_name: 'Ada',
  last_name: '',
  phone: '',
  profile_picture_url: null,
  ical_feed_url_id: 'secret',
  invites_by_mail: false,
  language: 'en',
  clock: 'auto',
  time_zone: null,
  device_zone: null,
  clubs: [
    {
      id: 'id-of-rowers',
      slug: 'rowers',
      club_name: 'Harbour Rowers',
      profile_picture_url: null,
      club_role: 200,
      is_planner: true,
      users: 1,
    },
  ],
};

export const rowers: Club = {
  id: 'id-of-rowers',
  slug: 'rowers',
  club_name: 'Harbour Rowers',
  club_description: '',
  language: 'en',
  location_name: 'Pier 3',
  meta: { website: 'rowers.example' },
  profile_picture_url: null,
  profile_banner_url: null,
  created_at: '2026-06-08T18:30:00.000Z',
  version: 1,
  ical_feed_url_id: 'secret',
  my_club_role: 200,
  is_planner: true,
  muted: false,
  organisers_plan: null,
  first_steps: null,
  needs_second_admin: false,
  handover: null,
  member_count: 1,
  members: [],
  more_members: null,
  event_count: 0,
  events: [],
  more_events: { upcoming: null, in_progress: null, previous: null },
  latest_update: null,
  latest_update_read_at: null,
};

export const news: ListedUpdate = {
  id: 'id-of-news',
  content: 'The boat is mended.',
  created_at: '2026-06-21T18:30:00.000Z',
  edited_at: null,
  version: 0,
  creator_id: 'id-of-ada',
  creator_first_name: 'Ada',
  creator_last_name: 'Lovelace',
  pictures: [],
  important: false,
  my_read_at: null,
};

export const run: Event = {
  id: 'id-of-run',
  slug: 'tuesday-run',
  name: 'Tuesday run',
  description: 'At noon',
  details: 'Bring water.',
  location_name: 'Pier 3',
  start_time: '2099-06-08T18:30:00.000Z',
  end_time: '2099-06-08T20:00:00.000Z',
  entry_until_time: '2099-06-08T18:30:00.000Z',
  time_zone: 'UTC',
  owner_club_id: 'id-of-rowers',
  club_name: 'Harbour Rowers',
  user_count: 0,
  deleted_at: null,
  polling: false,
  times: [],
  host: { host_first_name: 'Ada', host_last_name: '', host_profile_picture_url: null },
  my_role: null,
  my_answer: null,
  must_confirm: false,
  has_voted: false,
  by_standing: false,
  away_until: null,
  my_guests: 0,
  my_place: null,
  my_lets_pass: false,
  my_note: '',
  my_reply: '',
  conflicting_events: [],
  version: 1,
  guests_max: 0,
  capacity: null,
  waitlist: true,
  question: '',
  choices: [],
  section_ids: [],
  needed: {},
  section_names: [],
  section_counts: [],
  is_for_me: true,
  attendees: [],
  more_attendees: null,
  more_waiting: null,
  more_maybe: null,
  guest_count: 0,
  moved_from: null,
  seats_left: null,
  waiting_count: 0,
  waiting: [],
  asked_about: null,
  time_count: 0,
  series: null,
  series_version: null,
  slot_on: null,
  maybe: [],
  maybe_count: 0,
  no_count: 0,
  silent_count: 0,
  nudges: 0,
  nudged_at: null,
  nudged: [],
  favourite: false,
  subscribed: false,
  changes: [],
  reply_counts: null,
  undo: null,
  messages: [],
  questions: [],
  confirmed_count: null,
  calendars: null,
  reach: null,
  audience: null,
  list_changes: null,
};

/** The same event in a list. */
export const card: EventCard = {
  id: run.id,
  slug: run.slug,
  name: run.name,
  description: run.description,
  location_name: run.location_name,
  start_time: run.start_time,
  end_time: run.end_time,
  entry_until_time: run.entry_until_time,
  time_zone: run.time_zone,
  owner_club_id: run.owner_club_id,
  club_name: run.club_name,
  club_slug: 'rowers',
  user_count: 0,
  deleted_at: null,
  polling: false,
  host: run.host,
  guest_count: 0,
  moved_from: null,
  seats_left: null,
  waiting_count: 0,
  asked_about: null,
  time_count: 0,
  series: null,
  section_names: [],
  is_for_me: true,
  my_role: null,
  my_answer: null,
  must_confirm: false,
  has_voted: false,
  conflicting_events: [],
  faces: [],
};

interface Data {
  user?: User;
  club?: Club;
  event?: Event;
  updates?: ListedUpdate[];
  /** Any other query and its data. */
  query?: { queryKey: readonly unknown[] };
  data?: unknown;
  /** The route of the page, if it reads parameters, and its path. */
  route?: string;
  path?: string;
}

/** Renders a page of the app with this data and returns its router. `is_planner` follows from the roles. */
export function renderPage(
  page: ReactElement,
  { route, path, user = ada, club = rowers, event = run, updates = [], query, data }: Data = {},
) {
  const plans = (club_role: ClubRole) =>
    club_role === 200 || (club_role === 100 && club.organisers_plan === true);
  const my_club_role = club.members.find(({ id }) => id === user.id)?.club_role ?? club.my_club_role;
  const clubs = user.clubs.map((each) => ({ ...each, is_planner: plans(each.club_role) }));
  queryClient.setQueryData(queries.user().queryKey, { ...user, clubs });
  queryClient.setQueryData(queries.club(club.slug).queryKey, { ...club, is_planner: plans(my_club_role) });
  queryClient.setQueryData(queries.event(event.slug).queryKey, event);
  queryClient.setQueryData(queries.updates(club.slug).queryKey, updates);
  if (query) queryClient.setQueryData(query.queryKey, data);
  const routes = [
    { path: route ?? '/page', element: page },
    { path: '*', element: null },
  ];
  const router = createMemoryRouter(routes, { initialEntries: [path ?? route ?? '/page'] });
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return router;
}

export const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });

/** Replaces the text of a field. */
export async function fill(name: string, text: string): Promise<void> {
  await userEvent.clear(field(name));
  if (text) await userEvent.type(field(name), text);
}

export const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));

/** Presses a button of the open confirmation. */
export async function confirm(name: string): Promise<void> {
  const dialog = await screen.findByRole('alertdialog');
  await userEvent.click(within(dialog).getByRole('button', { name }));
}

export const expectToast = (title: string, text: string) =>
  vi.waitFor(() => expect(toasts().find(({ open }) => open)).toMatchObject({ title, text }));
