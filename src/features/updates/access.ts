import type { Context } from '#platform/context.ts';
import { toLook } from '#platform/db/look.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { brief } from '#platform/mail/text.ts';
import { isSameToken } from '#platform/token.ts';
import type { LinkedUpdate } from '#features/updates/contract.ts';
import { readToken } from '#features/updates/mail.ts';
import type { UpdateOfLink } from '#features/updates/read-queries.ts';
import { summaryOf } from '#features/updates/rules.ts';

/**
 * Checks the token of a read link. The response is the same for all wrong tokens, and the number of wrong tokens from
 * one network is limited.
 */
export async function verifyReadLink(
  { db, now, config, caller }: Pick<Context, 'db' | 'now' | 'config' | 'caller'>,
  token: string,
  link: UpdateOfLink | undefined,
): Promise<UpdateOfLink | undefined> {
  const { user_id = '', id: update_id = '', answer_key = '' } = link ?? {};
  if (isSameToken(token, readToken(config, { user_id, update_id, answer_key }))) return link;
  if (config.limitsPerAddress) await limit(db, `read-links:${caller.ip}`, { max: 60, seconds: 60, now });
  return undefined;
}

/** What a read link shows to its member. */
export function linkedUpdate({ content, look: stored, ...link }: UpdateOfLink): LinkedUpdate {
  const { language, clock, timeZone } = toLook(stored);
  const [firstLine = ''] = summaryOf(content).split('\n');
  return {
    ...link,
    first_line: brief(firstLine, 200),
    reader: { language, clock, time_zone: timeZone ?? null },
  };
}
