import type { ErrorCode } from '#wire/errors.ts';
import { role, type Membership } from '#features/members/rules.ts';
import type { Update } from '#features/updates/contract.ts';

declare const right: unique symbol;

/** Proof that a user may change an update. Only the store creates it, after locking the club and the update. */
export interface EditorOf {
  club_id: string;
  update_id: string;
  /** The version before the change. */
  version: number;
  readonly [right]: 'editor';
}

/** Proof that a user may upload pictures for updates of a club. */
export interface WriterOf {
  club_id: string;
  readonly [right]: 'writer';
}

/** Admins may change every update of their club; authors may change their own updates while they are members. */
export const whyCannotChange = (
  { user_id, club_role }: Membership,
  { creator_id }: Pick<Update, 'creator_id'>,
): ErrorCode | undefined => (club_role === role.admin || creator_id === user_id ? undefined : 'not_author');
