import { all, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import { notices, type AnyNotice } from '#platform/notices/notice.ts';
import { hasWeekly, saveWeekly, weeklyEmail } from '#platform/notices/weekly.ts';

/**
 * All settings with the values that they have at first: for each kind that the app shows its own key and `push_…`, for
 * each kind sent by email `email_…`, and the weekly email. Pushes of kinds that are news are off at first.
 */
export function defaultSettings(): Record<string, boolean> {
  const shown = notices.filter(({ message }) => message);
  const mailed = notices.filter(({ email }) => email);
  const pushed = new Set(shown.flatMap(({ group, setting }) => (group === 'news' ? [] : [setting])));
  return {
    ...Object.fromEntries(shown.map(({ setting }) => [setting, true])),
    ...Object.fromEntries(mailed.map(({ setting }) => [`email_${setting}`, true])),
    ...Object.fromEntries(shown.map(({ setting }) => [`push_${setting}`, pushed.has(setting)])),
    [weeklyEmail]: false,
  };
}

/** The setting that switches pushes of this notice on and off. */
export const pushKeyOf = ({ setting }: AnyNotice): string => `push_${setting}`;

export const isPushedAtFirst = (notice: AnyNotice): boolean => defaultSettings()[pushKeyOf(notice)] ?? false;

export const settingKeys = (): string[] => Object.keys(defaultSettings());

/** The keys of the emails about news, which the weekly email replaces. */
export const newsEmails = (): string[] => [
  ...new Set(notices.flatMap(({ group, setting }) => (group === 'news' ? [`email_${setting}`] : []))),
];

/** The settings of a user. A row in `notification_opt_outs` means that the value differs from the default. */
export async function settingsOf(db: Db, user: string): Promise<Record<string, boolean>> {
  const rows = await all(
    db,
    sql<{ key: string }>`select key from notification_opt_outs where user_id = ${user}`,
  );
  const changed = new Set(rows.map(({ key }) => key));
  if (await hasWeekly(db, user)) changed.add(weeklyEmail);
  return Object.fromEntries(
    Object.entries(defaultSettings()).map(([key, value]) => [key, changed.has(key) ? !value : value]),
  );
}

/** Changes these settings of a user, if the user still exists. The others keep their values. */
export async function saveSettings(
  db: Db,
  user: string,
  { [weeklyEmail]: weekly, ...settings }: Readonly<Record<string, boolean | undefined>>,
  now: Instant,
): Promise<void> {
  if (weekly !== undefined) await saveWeekly(db, user, weekly, now);
  const entries = Object.entries(defaultSettings()).filter(([key]) => settings[key] !== undefined);
  const keys = (differ: boolean) =>
    entries.filter(([key, value]) => (settings[key] !== value) === differ).map(([key]) => key);
  await run(
    db,
    sql`delete from notification_opt_outs where user_id = ${user} and key = any(${keys(false)}::text[])`,
  );
  await run(
    db,
    sql`insert into notification_opt_outs (user_id, key)
        select id, unnest(${keys(true)}::text[]) from users where id = ${user} on conflict do nothing`,
  );
}
