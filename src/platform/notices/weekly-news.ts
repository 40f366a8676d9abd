import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import { toLook } from '#platform/db/look.ts';
import type { Instant } from '#wire/instant.ts';
import { inLook } from '#wire/look.ts';
import {
  isAlways,
  loadNotices,
  notices,
  type AnyNotice,
  type NoticeFacts,
  type WeeklyLine,
} from '#platform/notices/notice.ts';
import type { Reader } from '#platform/notices/pending.ts';
import { unseenNews, type NewsRow, type WeeklyJob } from '#platform/notices/weekly.ts';

interface News {
  setting: string;
  line: WeeklyLine;
}

interface NewsContext {
  reader: Reader;
  now: Instant;
  config: Config;
}

/**
 * The unseen news of one person that still applies and that the person wants in the app and by email, the newest first.
 * Notices that are always sent, and those about something that has started by now, were emailed by themselves.
 */
export async function newsOf(db: Db, job: WeeklyJob, context: NewsContext): Promise<News[]> {
  const { optOuts } = context.reader;
  const kinds = notices.filter(
    ({ weekly, setting }) => weekly && !optOuts.includes(setting) && !optOuts.includes(`email_${setting}`),
  );
  const rows = await unseenNews(
    db,
    job,
    kinds.map(({ kind }) => kind),
  );
  const lines = new Map<NewsRow, News>();
  for (const notice of kinds)
    for (const [row, line] of await linesOf(db, notice, {
      ...context,
      rows: rows.filter(({ kind }) => kind === notice.kind),
    }))
      lines.set(row, { setting: notice.setting, line });
  return rows.flatMap((row) => lines.get(row) ?? []);
}

/** One line for all rows with the same merge key, at the place of the newest. */
async function linesOf(
  db: Db,
  notice: AnyNotice,
  { rows, reader, now, config }: NewsContext & { rows: readonly NewsRow[] },
): Promise<[NewsRow, WeeklyLine][]> {
  const { weekly } = notice;
  if (!weekly) return [];
  const parsed = rows.flatMap((row) => {
    const { data: facts } = notice.facts.safeParse(row.facts);
    return facts && !isAlways(notice, facts) ? [{ row, facts }] : [];
  });
  const groups = [...Map.groupBy(parsed, ({ facts }) => notice.merge(facts)).values()];
  const newest = groups.map((group) => {
    const [{ row, facts }] = group as [{ row: NewsRow; facts: NoticeFacts }];
    const actors = group.flatMap(({ row: { actor_id } }) => actor_id ?? []);
    return { ...row, facts: weekly.facts?.(facts, actors) ?? facts, row };
  });
  const data = await loadNotices(
    db,
    notice,
    newest.map((each) => ({ ...each, sentLately: [] })),
  );
  return newest.flatMap(({ row }, n): [NewsRow, WeeklyLine][] => {
    const loaded = data[n];
    if (loaded === null || !(notice.applies?.(loaded, now) ?? true)) return [];
    const startsAt = weekly.startsAt?.(loaded);
    if (startsAt !== undefined && startsAt <= now) return [];
    const line = inLook(toLook(reader.look), () => weekly.line(loaded, { actor: row.actor, config }));
    return [[row, line]];
  });
}
