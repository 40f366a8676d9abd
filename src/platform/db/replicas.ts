import { first, openReplica, sql, type Db, type ReadDb } from '#platform/db/client.ts';

/** Milliseconds between two polls of a server. */
const interval = 100;
/** Milliseconds by which a replica may answer later than the primary. */
const maxDelay = 20;

/** A server as it was at its last poll. */
export interface ServerState {
  role: 'primary' | 'replica';
  server: string;
  isUsable: boolean;
  /** Milliseconds. */
  lag: number;
  /** How often it was chosen. */
  reads: number;
}

export interface Replicas {
  /**
   * A usable replica that has replayed this position of the log. Undefined if there is none. A session keeps to one, so
   * that what it reads does not alternate between two lags.
   */
  choose(position?: string | null, session?: string): ReadDb | undefined;
  /** The primary comes first. */
  states(): ServerState[];
  close(): Promise<void>;
}

/** A server that is polled through the connections of its reads, so that it is slow while they are busy. */
interface Polled {
  poll(): Promise<bigint | undefined>;
  /** The position at the last poll. Undefined while the server does not answer, or is no replica. */
  position: bigint | undefined;
  /** Milliseconds that the last poll took. */
  took: number;
  /** When the pending poll was sent. */
  sentAt: number | undefined;
  reads: number;
}

/** Polls read replicas, and chooses one for each read. `maxLag` is in milliseconds. */
export function openReplicas(
  urls: readonly string[],
  { primary, maxLag, onError }: { primary: Db; maxLag: number; onError: (error: Error) => void },
): Replicas {
  const leader = polled(() => positionFrom(primary, sql`pg_current_wal_lsn()`));
  const replicas = urls.map((url) => {
    const { db, close } = openReplica(url, onError);
    // A promoted server would return where it stopped to replay.
    const replayed = sql`case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end`;
    return { server: nameOf(url), db, close, ...polled(() => positionFrom(db, replayed)) };
  });
  const history = historyOf(maxLag);
  let turn = 0;

  async function pollLeader(): Promise<void> {
    const sentAt = performance.now();
    await poll(leader);
    if (leader.position !== undefined) history.add(sentAt, leader.position);
  }

  const lagOf = ({ position = -1n }: Polled, now: number) => now - history.lastAt(position);

  function isUsable(replica: Polled, now: number): boolean {
    if (replica.position === undefined || lagOf(replica, now) > maxLag) return false;
    return delayOf(replica, now) <= delayOf(leader, now) + maxDelay;
  }

  const pollAll = () => {
    if (leader.sentAt === undefined) void pollLeader();
    for (const replica of replicas) if (replica.sentAt === undefined) void poll(replica);
  };
  const timer = setInterval(pollAll, interval).unref();
  pollAll();

  return {
    choose(position, session) {
      const now = performance.now();
      const least = position ? positionOf(position) : 0n;
      const usable = replicas.filter(
        (replica) => (replica.position ?? -1n) >= least && isUsable(replica, now),
      );
      const nth = session ? Number.parseInt(session.slice(0, 8), 16) : turn++;
      const chosen = usable[nth % usable.length];
      (chosen ?? leader).reads++;
      return chosen?.db;
    },
    states() {
      const now = performance.now();
      const isUp = leader.position !== undefined;
      return [
        { role: 'primary', server: 'primary', isUsable: isUp, lag: 0, reads: leader.reads },
        ...replicas.map((replica) => ({
          role: 'replica' as const,
          server: replica.server,
          isUsable: isUsable(replica, now),
          lag: lagOf(replica, now),
          reads: replica.reads,
        })),
      ];
    },
    async close() {
      clearInterval(timer);
      await Promise.all(replicas.map(({ close }) => close()));
    },
  };
}

/** When the primary was at which positions, as far back as `maxLag`. */
function historyOf(maxLag: number) {
  /** Oldest first. The primary had not passed `position` when the poll was sent. */
  let polls: { sentAt: number; position: bigint }[] = [];
  return {
    add(sentAt: number, position: bigint): void {
      polls.push({ sentAt, position });
      const kept = polls.findLastIndex((each) => each.sentAt < sentAt - maxLag);
      polls = polls.slice(Math.max(0, kept));
    },
    /** When the primary was last known not to have passed a position. */
    lastAt: (position: bigint): number =>
      polls.findLast((each) => each.position <= position)?.sentAt ?? -Infinity,
  };
}

const polled = (read: Polled['poll']): Polled => ({
  poll: read,
  position: undefined,
  took: Infinity,
  sentAt: undefined,
  reads: 0,
});

async function poll(server: Polled): Promise<void> {
  const sentAt = performance.now();
  server.sentAt = sentAt;
  server.position = await server.poll().catch(() => undefined);
  server.took = performance.now() - sentAt;
  server.sentAt = undefined;
}

/** Milliseconds. A pending poll counts from when it was sent. */
const delayOf = ({ took, sentAt = Infinity }: Polled, now: number) => Math.max(took, now - sentAt);

async function positionFrom(db: ReadDb, position: ReturnType<typeof sql>): Promise<bigint | undefined> {
  const row = await first(db, sql<{ position: string | null }>`select ${position} as position`);
  return row?.position ? positionOf(row.position) : undefined;
}

function nameOf(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  return `${searchParams.get('host') ?? hostname}:${port || 5432}`;
}

/** A position of the log as a number: it only grows. */
function positionOf(lsn: string): bigint {
  const [high, low] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
