import type { Config } from '#platform/config.ts';
import { idToken } from '#platform/token.ts';

/** What a read link depends on: the member, the update and the secret of the membership. */
interface ReadLink {
  user_id: string;
  update_id: string;
  answer_key: string;
}

/** The token of the read link in an email. It is not stored, and ends with the answer links of the member. */
export const readToken = ({ secretKey }: Config, { user_id, update_id, answer_key }: ReadLink): string =>
  idToken(secretKey, 'read', [user_id, update_id], answer_key);
