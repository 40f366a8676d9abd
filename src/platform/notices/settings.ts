import { all, sql, type Db } from '#platform/db/client.ts';
import { notices } from '#platform/notices/notice.ts';

/** The setting keys: one for each kind shown in the app, and `email_…` for each kind sent by email. */
export const settingKeys = (): string[] => [
  ...new Set([
    ...notices.flatMap(({ setting, message }) => (message ? [setting] : [])),
    ...notices.flatMap(({ setting, email }) => (email ? [`email_${setting}`] : [])),
  ]),
];

/** All settings: on, except for the opted-out keys. */
export const settingsExcept = (optedOut: readonly string[]): Record<string, boolean> =>
  Object.fromEntries(settingKeys().map((key) => [key, !optedOut.includes(key)]));

/** The keys that a user has switched off. */
export async function optedOutKeys(db: Db, user: string): Promise<string[]> {
  const rows = await all(
    db,
    sql<{ key: string }>`select key from notification_opt_outs where user_id = ${user}`,
  );
  return rows.map(({ key }) => key);
}
