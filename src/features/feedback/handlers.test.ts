import { expect, test } from 'vitest';
import { all, sql } from '#platform/db/client.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { isolatedWorld, world, type World } from '#test/world.ts';

const stored = async ({ db }: World) =>
  (await all(db, sql<{ user_id: string; feedback: string }>`select user_id, feedback from feedback`)).map(
    ({ user_id, feedback }) => [user_id, feedback],
  );

test('feedback: stored and emailed to the operators [FEEDBACK-10 API-39]', async () => {
  await using w = await isolatedWorld({ SUPPORT_EMAIL: 'support@muster.test' });
  const ada = await w.person('Ada', 'Lovelace');
  const said = { feedback: ' Well done!\n\nOne <wish>: kayaks. ' };
  expect(await send(w, ada, 'POST /v1/feedback', said)).toMatchObject({ status: 200, data: null });
  expect(await stored(w)).toEqual([[ada.id, 'Well done!\n\nOne <wish>: kayaks.']]);
  const mail = await w.mail('support@muster.test');
  expect(mail.subject).toBe('Feedback about Muster');
  expect(mail.text).toContain('Well done!\n\nOne <wish>: kayaks.');
  expect(mail.text).toContain(`Ada Lovelace, ${ada.email}`);
  expect(mail.html).toContain('One &lt;wish&gt;: kayaks.');
  expect(await outcomeOf(w.anyone.feedback.send({ feedback: 'Hello' }))).toBe('401 not_signed_in');
});

test('feedback: accepts one field and ignores all others [DATA-21]', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const said = { feedback: 'Well done', id: bob.id, user_id: bob.id, created_at: '2001-01-01T00:00:00.000Z' };
  expect(await send(w, ada, 'POST /v1/feedback', said)).toMatchObject({ status: 200, data: null });
  const rows = await all(
    w.db,
    sql<object>`select id <> ${bob.id} as own_id, user_id, feedback, created_at > '2002-01-01' as now from feedback`,
  );
  expect(rows).toEqual([{ own_id: true, user_id: ada.id, feedback: 'Well done', now: true }]);
  for (const wrong of [{}, { text: 'Well done' }, { feedback: null }, { feedback: ['Well done'] }])
    expect(await send(w, ada, 'POST /v1/feedback', wrong)).toMatchObject({ status: 400 });
});

test('feedback: only stored when no support address is configured', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  await ada.api.feedback.send({ feedback: 'Well done' });
  expect(await stored(w)).toHaveLength(1);
  expect(await all(w.db, sql`select from jobs`)).toEqual([]);
});

test('feedback: refused when empty or too long, and after five an hour', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const say = async (feedback: string) => (await send(w, ada, 'POST /v1/feedback', { feedback })).status;
  expect(await say(' \n ')).toBe(400);
  expect(await say('x'.repeat(5001))).toBe(400);
  for (let times = 0; times < 5; times++) expect(await say('Again')).toBe(200);
  expect(await say('Again')).toBe(429);
  w.later('1 hour');
  await ada.api.users.me({});
  expect(await say('Again')).toBe(200);
  expect(await stored(w)).toHaveLength(6);
});
