import { afterEach, expect, test, vi } from 'vitest';
import { first, run, sql } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import { outcomeOf } from '#test/calls.ts';
import { codeIn, world } from '#test/world.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Moves the clock of the app by `off` milliseconds. A frozen clock would give two emails the same time. */
function moveClock(off: number): void {
  const now = Date.now;
  class Moved extends Date {
    constructor(...given: number[]) {
      super(...((given.length === 0 ? [now() + off] : given) as [number]));
    }
    static override now = () => now() + off;
  }
  vi.stubGlobal('Date', Moved);
}

test.each([
  ['an hour slow', -3_600_000],
  ['an hour fast', 3_600_000],
])('time checks: use the database clock when the clock of the app is %s [C14]', async (_, off) => {
  moveClock(off);
  await using w = await world();
  const email = 'late@example.org';
  const login = async (earlier: number) => {
    await w.anyone.auth.login({ email });
    return codeIn(await w.mail(email, earlier));
  };
  const code = await login(0);
  w.later('9 minutes');
  const second = await login(1);
  w.later('2 minutes');
  expect(await outcomeOf(w.anyone.auth.confirm({ email, code }))).toBe('400 wrong_code');
  expect(await outcomeOf(w.anyone.auth.confirm({ email, code: second }))).toBe('ok');

  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob]);
  const times = sql<{ start: Instant; end: Instant; past: Instant }>`
    select now() + interval '31 minutes' as start, now() + interval '90 minutes' as end,
      now() - interval '10 minutes' as past`;
  const { start, end, past } = (await first(w.db, times)) as {
    start: Instant;
    end: Instant;
    past: Instant;
  };
  const newEvent = { club: club.id, name: 'Row', location_name: 'Pier', end_time: end };
  expect(await outcomeOf(ada.api.events.create({ ...newEvent, start_time: past }))).toBe(
    '400 starts_in_past',
  );
  const { slug: event } = await ada.api.events.create({ ...newEvent, start_time: start });
  expect(await outcomeOf(bob.api.answers.attend({ event }))).toBe('ok');
  await bob.api.answers.unattend({ event });
  w.later('21 minutes');
  expect(await outcomeOf(bob.api.answers.attend({ event }))).toBe('409 event_closed');

  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  expect(await outcomeOf(w.anyone.invites.get({ invite: invite_link }))).toBe('ok');
  await run(w.db, sql`update invite_links set expires_at = now() + interval '30 minutes'`);
  expect(await outcomeOf(w.anyone.invites.get({ invite: invite_link }))).toBe('404 not_found');
});
