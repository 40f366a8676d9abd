import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job, Outcome } from './load.ts';

/** A process beside this one that ends with it at the latest. */
export const beside = (script: string, ...args: string[]): ChildProcess =>
  fork(join(import.meta.dirname, script), args, { serialization: 'advanced' });

export async function reply<T>(child: ChildProcess, message: object): Promise<T> {
  child.send(message);
  return (await once(child, 'message'))[0] as T;
}

/** Resident memory in MB. */
export async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** What `run` answers, and how long the process was at work meanwhile: seconds. */
export async function timed<T>(pid: number, run: () => Promise<T>): Promise<{ outcome: T; busy: number }> {
  const before = await timeOf(pid);
  const outcome = await run();
  return { outcome, busy: (await timeOf(pid)) - before };
}

/** The kernel counts in hundredths of a second. */
async function timeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number) as [
    number,
    number,
  ];
  return (user + system) / 100;
}

/** Sends requests; see load.ts. */
export function openLoad() {
  const child = beside('load.ts');
  return {
    run: (job: Omit<Job, 'from'> & { from?: number }) => reply<Outcome>(child, { from: 0, ...job }),
    close: () => child.disconnect(),
  };
}

export type Load = ReturnType<typeof openLoad>;

export interface Ask {
  method?: string;
  path: string;
  token?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A request as it goes over the line. */
export function request({ method = 'GET', path, token, headers = {}, body }: Ask): string {
  const all = {
    host: 'muster.test',
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(body.length) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** What the app answers, to be given by the bare server as well. */
export async function answerOf(origin: string, { path, token, headers }: Ask): Promise<Answer> {
  const answer = await fetch(origin + path, {
    headers: {
      'accept-encoding': 'identity',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
  });
  const sent = Object.fromEntries(answer.headers);
  for (const name of ['date', 'connection', 'keep-alive', 'transfer-encoding']) delete sent[name];
  return { status: answer.status, headers: sent, body: Buffer.from(await answer.arrayBuffer()) };
}

/** What is asked of a database before each answer: the values of one statement for each path, lists of one that can be joined. */
export interface Questions {
  url: string;
  text: string;
  units: readonly (readonly unknown[])[];
}

/** A bare server of this kind; see bare.ts. */
export async function openBare(
  kind: 'http' | 'asking' | 'fastify' | 'ws',
  task: Partial<Answer> & { questions?: Questions } = {},
) {
  const child = beside('bare.ts', kind);
  const port = await reply<number>(child, { headers: {}, body: Buffer.alloc(0), ...task });
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    memory: () => memoryOf(child.pid),
    close: () => child.disconnect(),
  };
}
