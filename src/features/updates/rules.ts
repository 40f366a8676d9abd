import type { ErrorCode } from '#wire/errors.ts';
import type { Update } from '#features/updates/contract.ts';

declare const right: unique symbol;

/** Proof that a user may change an update, or a message about an event. Only the store creates it, after locking the club and the update. */
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

/**
 * Planners may change every update of their club, and runners every message about their event. Authors may change what
 * they wrote while they are members.
 */
export const whyCannotChange = (
  { user_id, changesAll }: { user_id: string; changesAll: boolean },
  { creator_id }: Pick<Update, 'creator_id'>,
): ErrorCode | undefined => (changesAll || creator_id === user_id ? undefined : 'not_author');

const greeting =
  'dear|hi|hello|hey|good (?:morning|day|afternoon|evening)|liebe[rs]?|hallo|moin|servus|guten (?:morgen|tag|abend)';
/** Up to five words after the greeting, or two without punctuation at the end: 'Hello, training is off' says more. */
const salutation = new RegExp(
  `^(?:${greeting})(?:(?:\\s+[^\\s,.:;!?]+){0,5}\\s*[,.:!]+|(?:\\s+[^\\s,.:;!?]+){0,2})$`,
  'iu',
);

/** Not an address such as 'example.org', which keeps its case. */
const firstWord = /^[\p{L}'’-]+(?=[\s,;:]|$)/u;

/**
 * An update without empty lines, lines without words, and a salutation at its start. The text after a salutation often
 * starts in lower case.
 */
export function summaryOf(content: string): string {
  const lines = content
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  if (!salutation.test(lines[0] ?? '')) return lines.join('\n') || content;
  const rest = lines.slice(1).join('\n');
  return rest.replace(firstWord, (word) => word.charAt(0).toUpperCase() + word.slice(1)) || content;
}
