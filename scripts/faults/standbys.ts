// F20: what people notice when a synchronous standby or the leader fails. docs/scaling.md has the figures.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool } from '#platform/db/connection.ts';
import { missingPrograms, openPatroni } from '#test/patroni.ts';
import { opened } from '../app.ts';
import { ask } from './app.ts';
import { ms, type Verdict } from './fault.ts';

type Cluster = Awaited<ReturnType<typeof openPatroni>>;
type Member = Cluster['members'][number];

const writers = 4;

/**
 * Writes through the address of the leader and reads through that of the standbys. `end` returns the longest time without
 * an acknowledged write, and the age of the oldest acknowledged write that a read did not show, in milliseconds.
 */
async function startProbe({ url, readUrl }: Cluster) {
  const options = { max: 2 * writers, connectionTimeoutMillis: 2000, query_timeout: 2000 };
  const [toLeader, toStandbys] = [url, readUrl].map((to) => openPool({ ...options, url: to }, () => {}));
  await ask(url, 'create table if not exists probe (writer int, n int, primary key (writer, n))');
  await ask(url, 'truncate probe');
  /** When each write was acknowledged, by writer. */
  const acknowledged = Array.from({ length: writers }, (): number[] => []);
  const found = { gap: 0, age: 0, old: 0, reads: 0, failed: 0 };
  const stopping = new AbortController();
  let newest = performance.now();

  async function write(times: number[], writer: number): Promise<void> {
    while (!stopping.signal.aborted) {
      // A write without a response is repeated: it may have been stored.
      const insert = 'insert into probe values ($1, $2) on conflict do nothing';
      const isStored = await toLeader?.query(insert, [writer, times.length]).catch(() => undefined);
      const now = performance.now();
      if (isStored) {
        found.gap = Math.max(found.gap, now - newest);
        newest = now;
        times.push(now);
      }
      await sleep(10);
    }
  }

  async function read(): Promise<void> {
    while (!stopping.signal.aborted) {
      const at = performance.now();
      const expected = acknowledged.map((times) => times.length);
      const query = 'select writer, count(*)::int as count from probe group by writer';
      const rows = await toStandbys?.query<{ writer: number; count: number }>(query).catch(() => undefined);
      if (!rows) found.failed++;
      else found.reads++;
      const ages = (rows ? [...acknowledged.entries()] : []).flatMap(([writer, times]) => {
        const seen = rows?.rows.find((row) => row.writer === writer)?.count ?? 0;
        return seen < (expected[writer] ?? 0) ? [at - (times[seen] ?? at)] : [];
      });
      if (ages.length > 0) found.old++;
      found.age = Math.max(found.age, ...ages);
      await sleep(10);
    }
  }

  const work = [...acknowledged.map(write), ...acknowledged.map(read)];
  return {
    async end() {
      stopping.abort();
      await Promise.all(work);
      await Promise.all([toLeader?.end(), toStandbys?.end()]);
      return found;
    },
  };
}

/** The processes of a server, the postmaster first. */
async function processesOf({ data }: Member): Promise<{ pid: number; title: string }[]> {
  const postmaster = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const pids = (await readdir('/proc')).map(Number).filter(Boolean);
  const children = await Promise.all(
    pids.map(async (pid) => {
      const [status, title] = await Promise.all(
        ['status', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      );
      return status?.includes(`PPid:\t${postmaster}\n`) ? [{ pid, title: title ?? '' }] : [];
    }),
  );
  return [{ pid: postmaster, title: 'postmaster' }, ...children.flat()];
}

/** For ten seconds, suspends the processes of a server whose title matches. */
async function suspend(member: Member, title: RegExp): Promise<void> {
  const pids = (await processesOf(member)).filter((each) => title.test(each.title)).map(({ pid }) => pid);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, name);
  };
  signal('SIGSTOP');
  await sleep(10_000);
  signal('SIGCONT');
}

/** Keeps a read open on a standby while the leader executes a statement. */
async function readDuring({ url }: Cluster, standby: Member, statement: string): Promise<void> {
  await ask(url, 'create table if not exists other as select n from generate_series(1, 10000) as n');
  await sleep(1000);
  const long = ask(standby.url, 'select count(*) from other, pg_sleep(10)').catch(() => []);
  await sleep(1000);
  await ask(url, 'delete from other where n % 2 = 0');
  await ask(url, statement);
  await long;
}

const faults: [string, (cluster: Cluster, leader: Member, standby: Member) => Promise<unknown>][] = [
  ['nothing', () => sleep(5000)],
  ['standby killed', (_cluster, _leader, standby) => standby.killServer()],
  ['standby stopped for 10 s', (_cluster, _leader, standby) => suspend(standby, /./)],
  ['replication stuck for 10 s', (_cluster, _leader, standby) => suspend(standby, /walreceiver/)],
  ['long read, VACUUM', (cluster, _leader, standby) => readDuring(cluster, standby, 'vacuum other')],
  [
    'long read, ALTER TABLE',
    (cluster, _leader, standby) => readDuring(cluster, standby, 'alter table other add column m int'),
  ],
  ['switchover', (cluster) => cluster.failOver('switchOver')],
  ['leader killed', (cluster) => cluster.failOver('killServer')],
  ["leader's machine lost", (cluster) => cluster.failOver('killMachine')],
];

/** Measures how long writes wait and how old reads are, for each fault. The limits are those of docs/scaling.md. */
export async function standbysFail(): Promise<Verdict[]> {
  const missing = missingPrograms();
  if (missing.length > 0) {
    const result = `not installed: ${missing.join(', ')} (Debian: apt install patroni etcd-server haproxy postgresql)`;
    return [{ promise: 'reads show acknowledged writes', result, held: undefined }];
  }
  const cluster = opened.use(await openPatroni());
  const verdicts: Verdict[] = [];
  for (const [name, breakIt] of faults) {
    for (const { restart } of cluster.members) restart();
    const leader = await cluster.healthyLeader();
    const standby = cluster.members.find((member) => member !== leader) as Member;
    await sleep(3000);
    const probe = await startProbe(cluster);
    await sleep(2000);
    await breakIt(cluster, leader, standby);
    await sleep(6000);
    const { gap, age, old, reads, failed } = await probe.end();
    verdicts.push({
      promise: `${name}: content is at most 2 s old`,
      result: `writes waited ${ms(gap)}; ${old} of ${reads} reads were old, at most by ${ms(age)}; ${failed} reads failed`,
      held: age <= 2000,
    });
    console.log(verdicts.at(-1)?.promise, verdicts.at(-1)?.result);
  }
  return verdicts;
}
