import { first, sql, type Db } from '#platform/db/client.ts';
import { fail } from '#wire/errors.ts';
import { asRunner, eventInClub, type RunnerOf, type ViewerContext } from '#features/events/access.ts';
import { isRunner } from '#features/members/rules.ts';

declare const locked: unique symbol;

/** A question that a runner of its event may answer. The event is locked. */
export interface AnsweredQuestion {
  id: string;
  author_id: string;
  answer: string;
  shared: boolean;
  version: number;
  event: RunnerOf;
  readonly [locked]: true;
}

declare const removable: unique symbol;

/** A question that its viewer may delete. */
export interface RemovableQuestion {
  id: string;
  readonly [removable]: true;
}

/** The event of a question as a member of its club sees it, and whether the member asked. For others there is none. */
async function questionOf(db: Db, { user, config }: ViewerContext, id: string) {
  const found = await first(
    db,
    sql<{ event_id: string; author_id: string; shared: boolean }>`
      select event_id, author_id, shared from questions where id = ${id}`,
  );
  if (!found) fail('not_found');
  const hidden = { user, config: { ...config, eventPreview: false } };
  const event = await eventInClub(db, hidden, found.event_id);
  return { event, runs: isRunner(event, event), isMine: found.author_id === user.id, shared: found.shared };
}

/** Checks that the user is a runner of the event of a question. Members who cannot see the question get `not_found`. */
export async function asAnswerer(db: Db, viewer: ViewerContext, id: string): Promise<AnsweredQuestion> {
  const { event, runs, isMine, shared } = await questionOf(db, viewer, id);
  if (!runs) fail(isMine || shared ? 'not_runner' : 'not_found');
  const runner = await asRunner(db, viewer, event.id);
  const question = await first(
    db,
    sql<Pick<AnsweredQuestion, 'id' | 'author_id' | 'answer' | 'shared' | 'version'>>`
      select id, author_id, answer, shared, version from questions where id = ${id}`,
  );
  return question ? ({ ...question, event: runner } as AnsweredQuestion) : fail('not_found');
}

/** Checks that the user asked the question or is a runner of its event. For others it does not exist. */
export async function asRemover(db: Db, viewer: ViewerContext, id: string): Promise<RemovableQuestion> {
  const { runs, isMine } = await questionOf(db, viewer, id);
  return runs || isMine ? ({ id } as RemovableQuestion) : fail('not_found');
}
