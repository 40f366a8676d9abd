import type { Language } from '#languages/languages.ts';
import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import type { RecordAudit } from '#platform/log.ts';
import type { Who } from '#wire/endpoint.ts';
import type { Instant } from '#wire/instant.ts';

/** The signed-in user of a request and their session. */
export interface Actor {
  id: string;
  session_id: string;
}

/**
 * The user of a request that only reads, with their memberships by club. These were read from the primary together
 * with the session. They must not be read again, because further reads may go to a standby, which can lag behind.
 */
export interface Viewer extends Actor {
  memberships: ReadonlyMap<string, ViewerMembership>;
}

interface ViewerMembership {
  club_role: number;
  /** Whether the member plans events and publishes updates. */
  is_planner: boolean;
}

/** The client of a request: its network address for rate limits, its `User-Agent`, and the language that it prefers. */
interface Caller {
  ip: string;
  device: string;
  /** Not the language of a known user. Cached and shared responses must not depend on it. */
  language: Language;
}

/** Passed to a handler with its input. If the endpoint writes and is not an upload, `db` is its transaction. */
export interface Context<W extends Who = Who> {
  db: Db;
  now: Instant;
  user: W extends 'user' ? Actor : Actor | undefined;
  config: Config;
  caller: Caller;
  /** The version in `If-Match`. */
  ifVersion?: number | undefined;
  record: RecordAudit;
}

/** A screen that the server renders. Responses for it contain only the rows that the screen shows at first. */
export interface RenderedScreen {
  /** The number of rows that fit the window. */
  rows: number;
  /**
   * A handler calls this if its response leaves out rows. The app then requests the complete response after painting.
   */
  leaveOutRows(): void;
}

/** Passed to a handler that only reads. `db` may be a standby. */
export interface ReadContext extends Omit<Context<'user'>, 'user'> {
  user: Viewer;
  /** Set if the response is for a screen that the server renders, and undefined for requests to the API. */
  screen?: RenderedScreen | undefined;
}

/** Passed to a handler of an upload. The handler opens its own transaction. */
export type UploadContext = ReadContext;

/**
 * Passed to a handler of a read that needs no session. The handler checks a secret in the address and reads the clock
 * in the same statement.
 */
export interface PublicContext extends Pick<Context, 'db' | 'config' | 'caller'> {
  /** Seconds added to the clock of the database. Always 0 outside tests. */
  clockOffset: number;
}

/** The time of a request by the clock of the database, and its user if the session is valid. */
export interface Identity {
  now: Instant;
  user?: Viewer | undefined;
}
