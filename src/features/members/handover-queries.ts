import { all, isoTimestamp, sql, type Db } from '#platform/db/client.ts';
import type { Handover } from '#features/members/handover-contract.ts';

/** The offer of each recipient's notice. Null if it has ended. */
export async function offersFor(
  db: Db,
  recipients: readonly { user_id: string; facts: { offer: string } }[],
): Promise<(Pick<Handover, 'until' | 'afterwards'> | null)[]> {
  const rows = await all(
    db,
    sql<{ offer: Pick<Handover, 'until' | 'afterwards'> | null }>`
      select case when h.id is not null then
        json_build_object('until', ${isoTimestamp('h.until')}, 'afterwards', h.afterwards) end as offer
      from unnest(${recipients.map(({ user_id }) => user_id)}::uuid[], ${recipients.map(({ facts }) => facts.offer)}::uuid[])
        with ordinality as wanted (user_id, offer, nth)
      left join handovers h on h.id = wanted.offer and h.to_id = wanted.user_id
      order by wanted.nth`,
  );
  return rows.map(({ offer }) => offer);
}

/** SQL: the id and name of a user, as JSON. */
const person = (user: string) => {
  const u = sql.ref(user);
  return sql`json_build_object('id', ${u}.id, 'first_name', ${u}.first_name, 'last_name', ${u}.last_name)`;
};

/**
 * SQL: the open offer to hand over a club that a member sees, as JSON: the one that ends last of those made to them,
 * otherwise their own. Null without one.
 */
export function offerSeenBy({ club, user, now }: Record<'club' | 'user' | 'now', string>) {
  const [c, u, n] = [sql.ref(club), sql.ref(user), sql.ref(now)];
  return sql`(
    select json_build_object('from', ${person('giver')}, 'to', ${person('taker')}, 'afterwards', h.afterwards,
      'until', ${isoTimestamp('h.until')})
    from handovers h join users giver on giver.id = h.from_id join users taker on taker.id = h.to_id
    where h.club_id = ${c} and ${u} in (h.from_id, h.to_id) and h.until > ${n}
    order by h.to_id = ${u} desc, h.until desc limit 1)`;
}
