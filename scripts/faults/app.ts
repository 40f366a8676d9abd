import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { environment, flags } from '../prepare.mjs';
import { until } from './fault.ts';

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

/** Cleanups that also run on a signal, so that no app and no directory remains. */
const closings = new Set<() => Promise<void>>();
const closeAll = () => void Promise.all([...closings].map((close) => close())).finally(() => process.exit(1));
process.once('SIGINT', closeAll).once('SIGTERM', closeAll);

/** An app whose process can be killed and restarted on the same port and data. */
export async function openApp(settings: Record<string, string> = {}) {
  const dataDir = settings['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'muster-faults-')));
  const [port, metricsPort] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const socket = encodeURIComponent(join(dataDir, 'postgres'));
  const databaseUrl =
    settings['DATABASE_URL'] ?? `postgresql://muster@localhost:5432/muster?host=${socket}&sslmode=disable`;
  const logFile = join(dataDir, `app-${port}.log`);
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...environment,
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATA_DIR: dataDir,
    PUBLIC_URL: origin,
    LIMITS_PER_ADDRESS: 'off',
    REQUESTS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
    ...settings,
  };
  const log = openSync(logFile, 'a');
  let child: ChildProcess;
  const isUp = async () => (await fetch(`${origin}/readyz`).catch(() => undefined))?.ok === true;

  const app = {
    origin,
    dataDir,
    databaseUrl,
    /** Starts the process and returns the milliseconds until it is ready. */
    async start(): Promise<number> {
      child = spawn(process.execPath, [...flags, 'src/app/main.ts'], { env, stdio: ['ignore', log, log] });
      return until('the app is ready', isUp);
    },
    isUp,
    pid: () => child.pid as number,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async end(signal: NodeJS.Signals): Promise<number | null> {
      if (!app.isAlive()) return child.exitCode;
      const gone = once(child, 'exit');
      child.kill(signal);
      return (await gone)[0] as number | null;
    },
    /** Resident memory in MB. */
    async memory(): Promise<number> {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    log: () => readFile(logFile, 'utf8'),
    metric: (series: string) => scrape(metricsPort, series),
    sql: <Row>(text: string, values: unknown[] = []) => ask<Row>(databaseUrl, text, values),
    async close() {
      closings.delete(app.close);
      await app.end('SIGINT');
      if (!settings['DATA_DIR']) await rm(dataDir, { recursive: true, force: true });
    },
  };
  closings.add(app.close);
  await app.start();
  return app;
}

export type App = Awaited<ReturnType<typeof openApp>>;

async function scrape(port: number, series: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? Number.NaN);
}

/** Runs one statement on a new connection. */
export async function ask<Row>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end().catch(() => {});
  }
}
