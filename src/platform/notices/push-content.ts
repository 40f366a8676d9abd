import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import { toLook } from '#platform/db/look.ts';
import type { AnswerButtons } from '#wire/answer-buttons.ts';
import type { Instant } from '#wire/instant.ts';
import { inLook } from '#wire/look.ts';
import {
  isAlways,
  loadNotices,
  noticeOf,
  type AnyNotice,
  type NoticeFacts,
  type NoticeTarget,
} from '#platform/notices/notice.ts';
import type { TakenPush } from '#platform/notices/pushes.ts';
import { isPushedAtFirst, pushKeyOf } from '#platform/notices/settings.ts';

/** What a push says, in the language of its reader. */
export interface PushContent {
  /** The name of its sender. */
  title: string;
  body: string;
  target: NoticeTarget;
  buttons: AnswerButtons | undefined;
  isAlways: boolean;
  /** Two pushes with the same kind and key are about the same thing. */
  key: string;
  /** When the push is of no use any more, if that is before a day has passed. */
  expires: Instant | undefined;
}

export interface ContentDependencies {
  config: Config;
  /** The ids of the senders that a user has muted. */
  mutedBy(db: Db, user: string): Promise<readonly string[]>;
}

/**
 * The current content of each push. Undefined if it is not sent: its notice was seen or no longer applies, its reader
 * has switched this kind off, or has muted the sender. The last two do not concern notices that are always sent.
 */
export async function contentsOf(
  db: Db,
  pushes: readonly TakenPush[],
  now: Instant,
  { config, mutedBy }: ContentDependencies,
): Promise<(PushContent | undefined)[]> {
  const contents = new Map<TakenPush, PushContent>();
  const mutes = new Map<string, readonly string[]>();
  for (const [kind, ofKind] of Map.groupBy(pushes, (push) => push.kind)) {
    const notice = noticeOf(kind);
    const unseen = ofKind.filter(({ isSeen }) => !isSeen);
    if (!notice || unseen.length === 0) continue;
    const recipients = unseen.map((push) => ({ ...push, sentLately: [] }));
    const data = await loadNotices(db, notice, recipients);
    for (const [n, push] of unseen.entries()) {
      if (data[n] === null || !appliesNow(notice, data[n], now)) continue;
      const always = isAlways(notice, push.facts as NoticeFacts);
      const sender = notice.sender?.(data[n]);
      if (!sender || (!always && !isWanted(notice, push))) continue;
      if (!always && !mutes.has(push.user_id)) mutes.set(push.user_id, await mutedBy(db, push.user_id));
      if (!always && mutes.get(push.user_id)?.includes(sender.id)) continue;
      const content = inLook(toLook(push.look), () => {
        const body = notice.message?.(data[n], push.actor);
        return body === undefined ? undefined : { body, buttons: notice.buttons?.(data[n], { config, now }) };
      });
      if (!content) continue;
      contents.set(push, {
        ...content,
        title: sender.name,
        target: notice.opens?.(data[n]) ?? {},
        isAlways: always,
        key: notice.merge(notice.facts.parse(push.facts)),
        expires: notice.expires?.(data[n]),
      });
    }
  }
  return pushes.map((push) => contents.get(push));
}

const appliesNow = (notice: AnyNotice, data: unknown, now: Instant): boolean =>
  (notice.isPushed ?? notice.applies)?.(data, now) ?? true;

/** Whether a kind is on in the app and on devices. */
const isWanted = (notice: AnyNotice, { changedSettings }: TakenPush): boolean =>
  !changedSettings.includes(notice.setting) &&
  changedSettings.includes(pushKeyOf(notice)) !== isPushedAtFirst(notice);
