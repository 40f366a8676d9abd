import { first, openReplica, sql, type Db, type ReadDb } from '#platform/db/client.ts';

/** Milliseconds between two polls of a server. */
const interval = 100;
/** Milliseconds by which a replica may answer later than the primary. */
const maxDelay = 20;

/** A replica as it was at its last poll. */
export interface ReplicaState {
  server: string;
  isUsable: boolean;
  /** Milliseconds. */
  lag: number;
}

export interface Replicas {
  /** A usable replica that has replayed this position of the log. Undefined if there is none. */
  choose(position?: string | null): ReadDb | undefined;
  states(): ReplicaState[];
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
    return { server: new URL(url).host, db, close, ...polled(() => positionFrom(db, replayed)) };
  });
  /** Positions of the primary, oldest first. It had not passed `position` when the poll was sent. */
  let passed: { sentAt: number; position: bigint }[] = [];
  let turn = 0;

  async function pollLeader(): Promise<void> {
    const sentAt = performance.now();
    await poll(leader);
    if (leader.position === undefined) return;
    passed.push({ sentAt, position: leader.position });
    const kept = passed.findLastIndex((each) => each.sentAt < sentAt - maxLag);
    passed = passed.slice(Math.max(0, kept));
  }

  const lagOf = ({ position = -1n }: Polled, now: number) =>
    now - (passed.findLast((each) => each.position <= position)?.sentAt ?? -Infinity);

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
    choose(position) {
      const now = performance.now();
      const least = position ? positionOf(position) : 0n;
      const usable = replicas.filter(
        (replica) => (replica.position ?? -1n) >= least && isUsable(replica, now),
      );
      return usable[turn++ % usable.length]?.db;
    },
    states() {
      const now = performance.now();
      return replicas.map((replica) => ({
        server: replica.server,
        isUsable: isUsable(replica, now),
        lag: lagOf(replica, now),
      }));
    },
    async close() {
      clearInterval(timer);
      await Promise.all(replicas.map(({ close }) => close()));
    },
  };
}

const polled = (read: Polled['poll']): Polled => ({
  poll: read,
  position: undefined,
  took: Infinity,
  sentAt: undefined,
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

/** A position of the log as a number: it only grows. */
function positionOf(lsn: string): bigint {
  const [high, low] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
