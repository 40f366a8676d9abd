import { first, sql, type Db } from '#platform/db/client.ts';
import { isLanguage } from '#languages/languages.ts';
import type { Look } from '#wire/look.ts';

/** The look of a user, from a row of `users`. */
export const lookOf = (user: string) => {
  const u = sql.ref(user);
  return sql<StoredLook>`json_build_object('language', ${u}.language, 'clock', ${u}.clock, 'timeZone', coalesce(${u}.time_zone, ${u}.device_zone))`;
};

export interface StoredLook extends Pick<Look, 'clock'> {
  language: string;
  timeZone: string | null;
}

/** A release without the language of a user shows English. */
export const toLook = ({ language, clock, timeZone }: StoredLook): Look => ({
  language: isLanguage(language) ? language : 'en',
  clock,
  timeZone: timeZone ?? undefined,
});

/** A stored look as responses to requests without a session have it. */
export function readerFrom(stored: StoredLook) {
  const { language, clock, timeZone = null } = toLook(stored);
  return { language, clock, time_zone: timeZone };
}

/** The look of the user with this id. */
export async function lookOfUser(db: Db, id: string): Promise<Look> {
  const user = await first(
    db,
    sql<{ look: StoredLook }>`select ${lookOf('u')} as look from users u where id = ${id}`,
  );
  return user ? toLook(user.look) : { language: 'en', clock: 'auto' };
}
