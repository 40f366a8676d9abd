import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chooser } from './chooser.ts';
import { inParallel, type Request, type Unit } from './client.ts';
import { nameOf, type Club, type Event } from './population.ts';
import { pick } from './random.ts';

export interface Kind {
  /** The number of units of this kind in a thousand units of a mix. All writes together have a share of 100. */
  share: number;
  /** Returns undefined while there is nothing to request, for example a changed club while no club has changed. */
  make(choose: Chooser): Unit | undefined;
  /** Prepares this many units, outside of the measurement. */
  prepare?(choose: Chooser, count: number): Promise<void>;
}

export function get(path: string, person: number): Request {
  return { path: `/api/v1${path}`, token: nameOf.accessToken(person) };
}

export function send(method: Request['method'], path: string, person: number, body: object): Request {
  return { ...get(path, person), method, body };
}

/** A request that changes the page of a club. */
export function write(choose: Chooser, club: Club, request: Request): Unit {
  return [{ ...request, onResponse: () => choose.changedClubs.add(club) }];
}

export const admin = ({ members }: Club) => members[0] as number;

function clubPage(choose: Chooser, club: Club): Unit {
  choose.changedClubs.delete(club);
  return [get(`/clubs/${nameOf.club(club.id)}`, choose.member(club))];
}

function changedClubPage(choose: Chooser): Unit | undefined {
  const [club] = choose.changedClubs;
  return club && clubPage(choose, club);
}

export const eventPath = (event: Event) => `/events/${nameOf.event(event.club, event.number)}`;

function eventPage(choose: Chooser): [path: string, person: number] {
  const event = choose.visitedEvent();
  return [eventPath(event), choose.member(choose.clubOf(event))];
}

/** The request of the web app when a user opens a screen: HTML with its data. This path is not part of the API. */
function firstScreen({ server: { population, screenPath } }: Chooser, path: string, person: number): Unit {
  const now = new Date(population.base).toISOString();
  const query = new URLSearchParams({
    path: `/app${path}`,
    zone: 'Europe/Berlin',
    now,
    rows: '8',
    wide: 'false',
  });
  return [{ path: `${screenPath}?${query}`, token: nameOf.accessToken(person) }];
}

function attendance(choose: Chooser, action: 'attend' | 'unattend'): Unit {
  const isGoing = action === 'unattend';
  const { event, person } = choose.pair(undefined, (answer) => (answer === 'going') === isGoing);
  return write(choose, choose.clubOf(event), send('POST', `${eventPath(event)}/${action}`, person, {}));
}

function edit(choose: Chooser, event: Event): Unit {
  const club = choose.clubOf(event);
  const body = { description: `Edit ${choose.random()}: please bring warm clothes and something to drink.` };
  const path = `${eventPath(event)}/edit/${nameOf.club(club.id)}`;
  return write(choose, club, send('PUT', path, admin(club), body));
}

function publish(choose: Chooser, club: Club): Unit {
  const body = { content: 'The dates of the next season are set. '.repeat(4) };
  const request = send('POST', `/updates/${nameOf.club(club.id)}`, admin(club), body);
  return write(choose, club, { ...request, expect: 201 });
}

function editClub(choose: Chooser, event: Event): Unit {
  const club = choose.clubOf(event);
  const body = { location_name: `Pier ${choose.random()}` };
  return write(choose, club, send('PATCH', `/clubs/${nameOf.club(club.id)}`, admin(club), body));
}

/** Reads and then changes up to `count` clubs, preferably those with many visits, and waits for the resulting jobs. */
const changeClubs =
  (change: (choose: Chooser, event: Event) => Unit) => async (choose: Chooser, count: number) => {
    const { client, population, waitForJobs } = choose.server;
    const events = new Map<number, Event>();
    while (events.size < Math.min(count, population.clubs.length / 2)) {
      const event = choose.comingEvent();
      events.set(event.club, event);
    }
    const read = (event: Event) => clubPage(choose, choose.clubOf(event));
    await inParallel(events.values(), 8, (event) => client.sendUnit(read(event), 'club-page'));
    choose.changedClubs.clear();
    await inParallel(events.values(), 8, (event) => client.sendUnit(change(choose, event), 'edit'));
    await waitForJobs();
  };

const requestCode = (person: number): Unit => [
  { path: `/api/v1/auth/login?email=${encodeURIComponent(nameOf.email(person))}` },
];

/** Requests login codes, and reads them from the files that stand in for emails. */
export async function requestCodes(choose: Chooser, count: number): Promise<void> {
  const { client, outbox, waitForJobs } = choose.server;
  await waitForJobs();
  await rm(outbox, { recursive: true, force: true });
  const requests = Array.from({ length: count }, () => requestCode(choose.nextPerson()));
  await inParallel(requests, 8, (unit) => client.sendUnit(unit, 'request-code'));
  await waitForJobs();
  const files = await readdir(outbox).catch((): string[] => []);
  const emails = await Promise.all(files.map((file) => readFile(join(outbox, file), 'utf8')));
  choose.codes = emails.flatMap((text) => {
    const email = /^To: .*?(person-\d+@example\.org)/m.exec(text)?.[1];
    const code = /^Subject: ([A-Z2-9]{6}) /m.exec(text)?.[1];
    return email && code ? [{ email, code }] : [];
  });
}

function login({ codes }: Chooser): Unit | undefined {
  const next = codes.pop();
  return next && [{ path: `/api/v1/auth/confirm?email=${encodeURIComponent(next.email)}&code=${next.code}` }];
}

function refresh({ server: { refreshTokens }, nextPerson }: Chooser): Unit {
  const person = nextPerson();
  const path = `/api/v1/auth/refresh?token=${encodeURIComponent(refreshTokens[person] as string)}`;
  const onResponse = (body: Buffer) => {
    const { data } = JSON.parse(String(body)) as { data: { RefreshToken: { Token: string } } };
    refreshTokens[person] = data.RefreshToken.Token;
  };
  return [{ path, onResponse }];
}

/** Calendar apps poll every feed equally often, however popular its club is. */
function clubFeed(choose: Chooser): Unit {
  const club = choose.uniformClub();
  const secret = nameOf.clubFeed(club.id, choose.member(club));
  return [{ path: `/api/v1/clubs/${nameOf.club(club.id)}/ical/${secret}/calendar.ics` }];
}

function home(choose: Chooser): Unit {
  const person = choose.person();
  return ['/users', '/users/events', '/users/clubs/events'].map((path) => get(path, person));
}

function clubScreen(choose: Chooser): Unit {
  const club = choose.club();
  return firstScreen(choose, `/clubs/${nameOf.club(club.id)}`, choose.member(club));
}

function adminPage(club: Club): Unit {
  return [get(`/clubs/admin/${nameOf.club(club.id)}`, admin(club))];
}

const searched = ['row', 'club', 'meeting'];

/** `eventShare` is the share in the 'events' mix. */
type Kinds = Record<string, Kind & { eventShare: number }>;

export const basicReads: Kinds = {
  'club-page': { share: 200, eventShare: 160, make: (choose) => clubPage(choose, choose.club()) },
  'club-page-changed': { share: 30, eventShare: 25, make: changedClubPage, prepare: changeClubs(editClub) },
  'club-page-event-changed': { share: 30, eventShare: 25, make: changedClubPage, prepare: changeClubs(edit) },
  'club-page-admin': { share: 30, eventShare: 20, make: (choose) => adminPage(choose.club()) },
  home: { share: 130, eventShare: 120, make: home },
  'event-page': { share: 140, eventShare: 80, make: (choose) => [get(...eventPage(choose))] },
  notifications: { share: 80, eventShare: 70, make: (choose) => [get('/notifications', choose.person())] },
  search: {
    share: 30,
    eventShare: 25,
    make: (choose) => [get(`/events/clubs/filter?q=${pick(choose.random, searched)}`, choose.person())],
  },
  'personal-feed': {
    share: 100,
    eventShare: 95,
    make: (choose) => [{ path: `/api/v1/users/${nameOf.personalFeed(choose.person())}/ical/calendar.ics` }],
  },
  'club-feed': { share: 50, eventShare: 50, make: clubFeed },
  'screen-home': { share: 40, eventShare: 40, make: (choose) => firstScreen(choose, '', choose.person()) },
  'screen-club': { share: 20, eventShare: 20, make: clubScreen },
  'screen-event': { share: 20, eventShare: 20, make: (choose) => firstScreen(choose, ...eventPage(choose)) },
};

export const basicWrites: Kinds = {
  attend: { share: 40, eventShare: 12, make: (choose) => attendance(choose, 'attend') },
  unattend: { share: 15, eventShare: 5, make: (choose) => attendance(choose, 'unattend') },
  'edit-event': { share: 15, eventShare: 10, make: (choose) => edit(choose, choose.comingEvent()) },
  // Clubs are chosen uniformly, since the most visited one would soon reach its limit of five updates an hour.
  'publish-update': { share: 5, eventShare: 5, make: (choose) => publish(choose, choose.uniformClub()) },
  refresh: { share: 15, eventShare: 12, make: refresh },
  'request-code': { share: 5, eventShare: 3, make: ({ nextPerson }) => requestCode(nextPerson()) },
  login: { share: 5, eventShare: 3, make: login, prepare: requestCodes },
};
