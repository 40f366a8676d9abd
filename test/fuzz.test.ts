import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { run, sql } from '#platform/db/client.ts';
import type { DocumentEndpoint, Endpoint, Envelope } from '#wire/endpoint.ts';
import { contracts } from '#features/contracts.ts';
import { openDatabaseSnapshot } from '#test/database-snapshot.ts';
import { hostileStrings } from '#test/hostile-strings.ts';
import { openStripe } from '#test/stripe.ts';
import { isolatedWorld } from '#test/world.ts';

const calls: (Endpoint | DocumentEndpoint)[] = Object.values(contracts).flatMap((contract) =>
  Object.values(contract),
);

/** Inputs of an endpoint: known ids or hostile values, with missing and additional fields. */
function inputs({ input }: Endpoint | DocumentEndpoint, known: Record<string, string[]>) {
  // Known values more often, and mostly those of the field, so that enough requests pass the validation.
  const all = Object.values(known).flat();
  const valueOf = (name: string) =>
    fc.oneof(
      { arbitrary: fc.constantFrom<unknown>(...(known[name] ?? all)), weight: 6 },
      { arbitrary: fc.constantFrom<unknown>(...all), weight: 2 },
      { arbitrary: hostileStrings, weight: 1 },
      { arbitrary: fc.string({ unit: 'binary' }), weight: 1 },
      { arbitrary: fc.jsonValue(), weight: 1 },
    );
  const names = Object.keys(input.shape);
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, valueOf(name)])), {
    requiredKeys: [],
  });
  return fc.record({
    fields,
    more: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
    body: fc.option(fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' })), { freq: 8 }),
  });
}

/** 200 requests each; set ROUNDS for more. */
const rounds = Number(process.env['ROUNDS'] ?? 5);

test(
  'fuzzed requests: every response is an envelope, none is a 5xx or shows internals [T35]',
  async () => {
    await using provider = await openStripe();
    await using w = await isolatedWorld(provider.settings);
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const club = await w.club([ada, bob]);
    const event = await w.event(club, ada);
    const { id, invite_link } = await ada.api.invites.create({ club_id: club.id });
    const { ical_feed_url_id } = await ada.api.users.me({});
    const known = {
      club: [club.id, club.slug],
      club_id: [club.id],
      event: [event.id, event.slug],
      member: [bob.id, ada.id],
      email: [ada.email],
      id: [id],
      invite: [invite_link],
      secret: [ical_feed_url_id],
      start_time: ['2090-01-01T10:00:00Z'],
      end_time: ['2090-01-01T12:00:00+02:00'],
      time_zone: ['Europe/London'],
    };
    const snapshot = await openDatabaseSnapshot(w.db);
    const token = ada.session.read()?.AccessToken.Token;
    const statuses = new Map<number, number>();
    const served = new Set<string>();

    const request = fc
      .constantFrom(...calls)
      .chain((call) => inputs(call, known).map((sent) => ({ call, ...sent })));
    const property = fc.asyncProperty(request, async ({ call, fields, more, body }) => {
      const sent: Record<string, unknown> = { ...more, ...fields };
      const address = call.path.replaceAll(/:(\w+)/g, (_, name: string) => {
        const value = sent[name] ?? club.id;
        return encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed());
      });
      const query = new URLSearchParams(
        Object.entries(sent).map(
          ([key, value]) =>
            [key, typeof value === 'string' ? value : JSON.stringify(value)] as [string, string],
        ),
      );
      const carriesBody = call.method !== 'GET';
      const response = await fetch(`${w.origin}/api${address}${carriesBody ? '' : `?${query}`}`, {
        method: call.method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(carriesBody ? { 'content-type': 'application/json' } : {}),
        },
        body: carriesBody ? (typeof body === 'string' ? body : JSON.stringify(body ?? sent)) : null,
      });
      const text = await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      expect({ text, isServerError: response.status >= 500 }).toEqual({ text, isServerError: false });
      if (response.ok) served.add(`${call.method} ${call.path}`);
      if (!(response.ok && 'document' in call)) {
        const envelope = JSON.parse(text) as Envelope;
        expect(envelope.status).toBe(response.status);
        expect(envelope.error === null).toBe(response.ok);
        if (response.ok && 'output' in call)
          z.encode(z.object({ data: call.output }), { data: envelope.data });
        else expect(envelope.message).toMatch(/\w+ \w+/);
        if (!response.ok) expect(text).not.toMatch(/\.[jt]s:\d+/);
      }
      if (response.ok && 'writes' in call && call.writes) await snapshot.restore();
      else if (response.status === 429) await run(w.db, sql`delete from rate_limits`);
    });
    await fc.assert(property, { numRuns: rounds * 200, endOnFailure: true });

    // Guards against a useless generator: enough requests must succeed, on enough endpoints. About 38 of 99 are usual.
    expect(statuses.get(200)).toBeGreaterThan(100);
    expect(statuses.get(400)).toBeGreaterThan(100);
    expect(served.size).toBeGreaterThan(calls.length / 4);
  },
  rounds * 18_000,
);
