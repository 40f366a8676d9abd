import { timed, openBare, request, type Answer } from './processes.ts';
import { atLeast, expectOnly, inTurn, type Bench, type Row } from './row.ts';

interface Asked {
  what: string;
  /** What the bare server answers to everything. */
  answer: Answer;
  status: 200 | 304;
  units: string[][];
  least?: number;
  /** Who is asked, if not the app. */
  subject?: { origin: string; pid: number };
  /** How many are asked in a turn, where not as many as there is time for. */
  count?: number;
}

/**
 * The app, or another server, against node:http with the same bytes, by 32 connections. Beside how many answers a second
 * there are, it tells how many a second of the process's own time: others on the machine change that less, and it leaves
 * the database out.
 */
export async function againstBare(
  bench: Bench,
  { what, answer, status, units, least, subject, count }: Asked,
): Promise<Row> {
  const { load, rounds, seconds } = bench;
  const app = await bench.app();
  const { origin, pid } = subject ?? { origin: app.origin, pid: app.pid() };
  const bare = await openBare('http', answer);
  const spent = new Map<number, { answers: number; seconds: number }>();
  let from = 0;

  async function rate(origin: string, pid: number, asked: string[][]): Promise<number> {
    const run = async () =>
      load.run({ origin, units: asked, from, connections: 32, ...(count ? { count } : { seconds }) });
    const { outcome, busy } = await timed(pid, run);
    expectOnly(status, outcome.statuses);
    from = outcome.next % units.length;
    const { answers = 0, seconds: before = 0 } = spent.get(pid) ?? {};
    spent.set(pid, { answers: answers + outcome.answers, seconds: before + busy });
    return outcome.perSecond;
  }

  const { etag = '' } = answer.headers;
  const bareUnits = [[request({ path: '/', headers: status === 304 ? { 'if-none-match': etag } : {} })]];
  const compared = await inTurn(
    rounds,
    () => rate(origin, pid, units),
    () => rate(bare.origin, bare.pid, bareUnits),
  ).finally(bare.close);
  const each = (pid: number) => {
    const { answers = 0, seconds: busy = 0 } = spent.get(pid) ?? {};
    return answers / busy;
  };
  const row = atLeast(what, `node:http, ${status === 304 ? '304' : 'same bytes'}`, compared, least);
  const own = each(pid) / each(bare.pid);
  return { ...row, result: `${row.result}; of own time ${own.toFixed(2)}` };
}
