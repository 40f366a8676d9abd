import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import {
  broken,
  clubsOf,
  codeFor,
  eachRound,
  eventsOf,
  manyPeople,
  recordChanges,
  timeout,
} from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

const pause = () => sleep(Math.random() * 8);

test(
  'a message against answers, ejections and the deletion of its author: each person gets at most one email, and nobody who had left the club before [MSG-09]',
  async () => {
    await using w = await world();
    const [ada] = (await manyPeople(w, 1)) as [Person];
    const takeChanges = await recordChanges(w, 'posts', 'members', 'answers');
    const allowed = new Map<string, Set<string>>();
    const seen = new Set<string>();
    for (const nth of eachRound) {
      const [author, wavering, ejected, staying] = (await manyPeople(w, 4)) as [
        Person,
        Person,
        Person,
        Person,
      ];
      const members = [wavering, ejected, staying];
      const [club = ''] = await clubsOf(w, [ada, author], members, 1);
      const [event = ''] = await eventsOf(w, [club], ada);
      await Promise.all(members.map(({ api }) => api.answers.attend({ event })));
      const code = await codeFor(w, author.email, 'ABCDEF', 'deletion');
      const content = `Round ${nth}`;
      await takeChanges();
      // In the first rounds the order is fixed, so that each outcome occurs.
      const [isSentFirst, isSentLast] = [nth === 0, nth === 1];
      const sending = (isSentLast ? sleep(300) : isSentFirst ? Promise.resolve() : pause()).then(() =>
        outcomeOf(author.api.updates.sendMessage({ event, content, to: ['going', 'maybe'] })),
      );
      if (isSentFirst) await sending;
      const others = [
        () => wavering.api.answers.answer({ event, answer: 'no' }),
        () => ada.api.members.eject({ club, member: ejected.id }),
        ...(isSentLast ? [] : [() => author.api.account.remove({ code })]),
      ].map((start) => pause().then(start));
      const [outcome] = await Promise.all([sending, ...others]);
      const changes = await takeChanges();
      const sentAt = changes.findIndex(({ operation }) => operation === 'INSERT posts');
      expect([outcome, sentAt >= 0]).toEqual([outcome === 'ok' ? 'ok' : outcome, outcome === 'ok']);
      expect(['ok', '401 not_signed_in', '403 not_member']).toContain(outcome);
      const before = changes.slice(0, Math.max(sentAt, 0));
      const hasLeft = before.some(
        ({ operation, row }) => operation === 'DELETE members' && row['user_id'] === ejected.id,
      );
      const hasDeclined = before.some(
        ({ operation, row }) => operation === 'UPDATE answers' && row['user_id'] === wavering.id,
      );
      const readers = [ada, staying, ...(hasLeft ? [] : [ejected]), ...(hasDeclined ? [] : [wavering])];
      allowed.set(content, new Set(outcome === 'ok' ? readers.map(({ email }) => email) : []));
      seen.add(`${outcome}${hasLeft ? ', after the ejection' : ''}`);
      const posts = sql`select creator_id from posts where event_id = ${event}`;
      if (outcome === 'ok' && !isSentLast) expect(await all(w.db, posts)).toEqual([{ creator_id: null }]);
    }
    await w.hurry();
    const waiting = sql`
      select 1 from jobs where name in ('send_notice', 'continue_notices', 'send_email') and (run_at <= now() or attempts > 0)`;
    for (let tries = 0; tries < 2000 && (await first(w.db, waiting)); tries++) await sleep(25);
    const emails = (await w.outbox()).flatMap(({ subject = '', to }) => {
      const [content] = /Round \d+$/.exec(subject) ?? [];
      return content ? [{ content, to: to?.[0]?.address ?? '' }] : [];
    });
    expect(emails.length).toBeGreaterThan(0);
    const keys = emails.map(({ content, to }) => `${content} ${to}`);
    expect(keys.length).toBe(new Set(keys).size);
    expect(emails.filter(({ content, to }) => !allowed.get(content)?.has(to))).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining(['ok', 'ok, after the ejection']));
    await run(w.db, sql`drop function note cascade`);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);
