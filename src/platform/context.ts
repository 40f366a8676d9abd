import type { Config } from '#platform/config.ts';
import type { Db, ReadDb } from '#platform/db/client.ts';
import type { RecordAudit } from '#platform/log.ts';
import type { Who } from '#wire/endpoint.ts';
import type { Instant } from '#wire/instant.ts';

/** The signed-in user of a request and their session. */
export interface Actor {
  id: string;
  session_id: string;
}

/** Passed to a handler with its input. `db` is the transaction of a writing endpoint, except for uploads. */
export interface Context<W extends Who = Who> {
  db: Db;
  now: Instant;
  user: W extends 'user' ? Actor : Actor | undefined;
  config: Config;
  /** The network address for rate limits, and the `User-Agent`. */
  caller: { ip: string; device: string };
  /** The version in `If-Match`. */
  ifVersion?: number | undefined;
  record: RecordAudit;
}

/** Of an endpoint that does not write: data comes from any server, what decides about rights from the primary. */
export interface ReadContext<W extends Who = Who> extends Omit<Context<W>, 'db'> {
  db: ReadDb;
  primary: Db;
}

/** Input for the statement that authenticates a request. */
export interface Credentials {
  /** Digest of the access token. */
  access: Buffer | null;
  /** Seconds added to the clock of the database. Always 0 outside tests. */
  clockOffset: number;
  /** Whether `Identity.known` is needed. */
  hasReplicas?: boolean;
}

/** The time of a request by the clock of the database, and its user if the session is valid. */
export interface Identity {
  now: Instant;
  user?: Actor | undefined;
  /** What a replica must know before it answers this session. Absent without replicas. */
  known?: { position: string | null; rights: string | null };
}
