import type { Context } from '#platform/context.ts';
import { readerFrom } from '#platform/db/look.ts';
import { limitLookups } from '#platform/http/rate-limit.ts';
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
  context: Pick<Context, 'db' | 'now' | 'config' | 'caller'>,
  token: string,
  link: UpdateOfLink | undefined,
): Promise<UpdateOfLink | undefined> {
  const { user_id = '', id: update_id = '', answer_key = '' } = link ?? {};
  if (isSameToken(token, readToken(context.config, { user_id, update_id, answer_key }))) return link;
  await limitLookups(context, 'read-links');
  return undefined;
}

/** What a read link shows to its member. */
export function linkedUpdate({ content, look: stored, ...link }: UpdateOfLink): LinkedUpdate {
  const [firstLine = ''] = summaryOf(content).split('\n');
  return {
    ...link,
    first_line: brief(firstLine, 200),
    reader: readerFrom(stored),
  };
}
