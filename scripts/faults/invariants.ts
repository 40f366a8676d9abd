import type { App } from './app.ts';

/** Queries that count the rows violating an invariant. */
const invariants = {
  'clubs without an admin':
    'select count(*)::int as n from clubs c where not exists (select from members m where m.club_id = c.id and m.club_role = 200)',
  'live events without a host': `select count(*)::int as n from events e where deleted_at is null
    and 1 <> (select count(*) from attendances a where a.event_id = e.id and a.attendee_role = 'organiser')`,
  'attendances of outsiders': `select count(*)::int as n from attendances a join events e on e.id = a.event_id
    where not exists (select from members m where m.club_id = e.owner_club_id and m.user_id = a.user_id)`,
};

/** The violated invariants with their counts. */
export async function brokenInvariants(app: App): Promise<string[]> {
  const broken: string[] = [];
  for (const [name, statement] of Object.entries(invariants)) {
    const [row] = await app.sql<{ n: number }>(statement);
    if (row?.n !== 0) broken.push(`${row?.n} ${name}`);
  }
  return broken;
}

/** The number of events whose attendee count in the API differs from the rows. */
export async function wrongCounts(app: App): Promise<number> {
  const events = await app.sql<{ slug: string; token: string; rows: number }>(`
    select e.slug, 'token-' || m.user_id as token, (select count(*)::int from attendances a where a.event_id = e.id) as rows
    from events e join members m on m.club_id = e.owner_club_id and m.club_role = 200
    order by e.created_at desc limit 50`);
  let wrong = 0;
  for (const { slug, token, rows } of events) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${app.origin}/api/v1/events/${slug}`, { headers });
    const { data } = (await answer.json()) as { data: { user_count: number } };
    if (data.user_count !== rows) wrong++;
  }
  return wrong;
}
