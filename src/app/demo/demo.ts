import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import type { Context } from '#platform/http/endpoint.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { ApiError } from '#wire/errors.ts';
import type { DemoClub } from '#app/demo/club.ts';
import { noonOf, occurrencesOf, type Occurrence } from '#app/demo/dates.ts';
import { games } from '#app/demo/games.ts';
import { people } from '#app/demo/people.ts';
import { readers } from '#app/demo/readers.ts';
import { rowers } from '#app/demo/rowers.ts';
import { handlers as attendance } from '#features/attendance/handlers.ts';
import { accountOf } from '#features/auth/store.ts';
import { handlers as clubs } from '#features/clubs/handlers.ts';
import { handlers as events } from '#features/events/handlers.ts';
import { handlers as invites } from '#features/invites/handlers.ts';
import { role } from '#features/members/rules.ts';
import { handlers as members } from '#features/members/handlers.ts';
import { handlers as updates } from '#features/updates/handlers.ts';
import { handlers as users } from '#features/users/handlers.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const told: DemoClub[] = [rowers, games, readers];

/** Makes somebody the sender of a request at the moment of the story; who has no account yet gets one. */
type As = (key: string) => Promise<Context<'user'>>;

interface DomainEvent {
  at: number;
  act(as: As): Promise<unknown>;
}

/** A club while its story is told. */
interface ArchiveSummary extends DemoClub {
  id: string;
  founded: number;
  now: number;
  joined: Map<string, number>;
  chance(): number;
}

/**
 * Lives the demo through, in the order of time: every step is a call that somebody could have made at that moment, so
 * that what comes of it keeps every rule. The same `now` gives the same story.
 */
export async function liveDemo(db: Db, config: Config, now: Instant): Promise<void> {
  const chance = seededChance(2026);
  const accounts = new Map<string, string>();
  const as = async (key: string, at: Instant): Promise<Context<'user'>> => {
    const known = accounts.get(key);
    const id = known ?? (await accountOf(db, `${key}@example.org`, at));
    accounts.set(key, id);
    const context = {
      db,
      config,
      now: at,
      user: { id, session_id: '' },
      caller: { ip: '', device: '' },
      record() {},
    };
    if (!known) await users.update(context, nameOf(key));
    return context;
  };

  const happenings = told.flatMap((club) => storyOf(club, Date.parse(now), chance));
  for (const { at, act } of happenings.toSorted((one, other) => one.at - other.at)) {
    await act((key) => as(key, instant(at)));
  }
}

function nameOf(key: string) {
  const { first_name = '', last_name = '' } = people.find((person) => person.key === key) ?? {};
  return { first_name, last_name, user_name: `${first_name} ${last_name}`.trim() };
}

function storyOf(demo: DemoClub, now: number, chance: () => number): DomainEvent[] {
  const club: ArchiveSummary = {
    ...demo,
    id: '',
    founded: now - demo.foundedDaysAgo * day,
    now,
    joined: new Map(),
    chance,
  };
  return [
    ...founding(club),
    ...joining(club),
    ...occurrencesOf(club, now).flatMap((occurrence, index) => planning(club, occurrence, index)),
    ...club.updates.map(({ by, daysAgo, content }, index) => ({
      at: noonOf(club, now - daysAgo * day) + (index % 5) * hour + index * 7 * minute,
      act: async (as: As) => updates.publish(await as(by), { club: club.id, content }),
    })),
  ];
}

function founding(club: ArchiveSummary): DomainEvent[] {
  const { club_name, club_description, location_name, website, founded } = club;
  const found = async (as: As) => {
    const founder = await as(club.admins[0]);
    club.id = granted(await clubs.create(founder, { club_name })).id;
    const meta = website === undefined ? {} : { website };
    await clubs.update(founder, { club: club.id, club_description, location_name, meta });
  };
  club.joined.set(club.admins[0], founded);
  return [{ at: founded, act: found }];
}

function joining(club: ArchiveSummary): DomainEvent[] {
  const { admins, organisers, founded, now, linkMadeDaysAgo = 3 } = club;
  const [founder, ...others] = admins;
  const helpers = [...others, ...organisers];
  const newest = now - (linkMadeDaysAgo + 1) * day;
  const joins = [...helpers, ...club.members].map((key, index) => {
    // Those who help to run a club were there from its beginning.
    const at =
      founded + day + (helpers.includes(key) ? index * day : club.chance() * (newest - founded - day));
    club.joined.set(key, at);
    const join = async (as: As) => {
      const { invite_link } = granted(await invites.create(await as(founder), { club_id: club.id }));
      const { user } = granted(await joinBy(as, key, invite_link));
      const next = others.includes(key)
        ? role.admin
        : organisers.includes(key)
          ? role.organiser
          : role.member;
      if (next !== role.member)
        await members.changeRole(await as(founder), { club: club.id, member: user.id, role: next });
    };
    return { at, act: join };
  });
  return [...joins, { at: newest + day, act: (as) => leaveLink(club, as) }];
}

async function joinBy(as: As, key: string, invite: string) {
  const member = await as(key);
  granted(await invites.join(member, { invite }));
  return member;
}

/** The last link of a club, as it is found when the demo is opened: alive, expired, or gone. */
async function leaveLink({ id, admins, linkMadeDaysAgo }: ArchiveSummary, as: As): Promise<void> {
  const founder = await as(admins[0]);
  const { invite_link } = granted(await invites.create(founder, { club_id: id }));
  if (linkMadeDaysAgo === undefined) await invites.remove(founder, { invite: invite_link });
}

/** An event from its plan to the last sign-up, or to its end before time. */
function planning(club: ArchiveSummary, occurrence: Occurrence, index: number): DomainEvent[] {
  const { now, admins, chance, joined } = club;
  const { draw, isCancelled = false, name, description, details = '', location_name, ...times } = occurrence;
  const host = admins[index % admins.length] ?? admins[0];
  const start = Date.parse(times.start_time);
  const planned = Math.min(start - 21 * day, now - (1 + (index % 9)) * day) - Math.floor(chance() * 5 * hour);
  const cancelled = isCancelled ? Math.min(start - 30 * hour, now - 3 * hour) : now;
  const closed = Math.min(Date.parse(times.entry_until_time), cancelled);
  let event = '';

  const plan = async (as: As) => {
    const { start_time, end_time, entry_until_time, time_zone } = times;
    const words = { name, description, details, location_name };
    const wish = { club: club.id, ...words, start_time, end_time, entry_until_time, time_zone };
    event = granted(await events.create(await as(host), wish)).slug;
  };
  const signUps = [...joined].flatMap(([key, since]) => {
    const opens = Math.max(planned, since);
    const at = opens + chance() * (closed - opens);
    const comes = chance() < draw / clubsOf(key) && key !== host && opens < closed;
    return comes ? [{ at, act: async (as: As) => attendance.attend(await as(key), { event }) }] : [];
  });
  const cancel = { at: cancelled, act: async (as: As) => events.cancel(await as(host), { event }) };
  return [{ at: planned, act: plan }, ...signUps, ...(isCancelled ? [cancel] : [])];
}

/** Whoever is in several clubs comes to each of them less often. */
const clubsOf = (key: string): number =>
  told.filter(({ admins, organisers, members }) => [...admins, ...organisers, ...members].includes(key))
    .length;

function granted<T>(answer: T | ApiError): T {
  if (answer instanceof ApiError) throw answer;
  return answer;
}

/** Numbers from 0 to 1 that look random and are the same every time (mulberry32). */
function seededChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
