import pino, { type DestinationStream } from 'pino';
import { ApiError } from '#wire/errors.ts';

export type Log = pino.Logger;

/** Writes the lines of one tick together: a write per line would cost a tenth of the time of a fast request. */
function bufferLines(to: NodeJS.WriteStream): DestinationStream {
  let lines = '';
  const flush = () => {
    to.write(lines);
    lines = '';
  };
  process.on('exit', () => lines && flush());
  return {
    write(line) {
      if (!lines) setImmediate(flush);
      lines += line;
    },
  };
}

export type LogFormat = 'json' | 'text';

/** Standard output, where the log is written in this format. */
export function logTo(format: LogFormat): DestinationStream {
  const output = bufferLines(process.stdout);
  return format === 'json' ? output : { write: (line) => output.write(textOf(line)) };
}

/** A log line for people: the time, the level, the message and the other fields, with the stack of an error below it. */
function textOf(line: string): string {
  const { time, level, msg, error, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const { stack, ...others } = (typeof error === 'string' ? { error } : (error ?? {})) as Record<
    string,
    unknown
  >;
  const pairs = Object.entries({ ...fields, ...others })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${textOfValue(value)}`);
  const words = [time, String(level).toUpperCase().padEnd(5), ...(msg ? [msg] : []), ...pairs];
  return `${words.join(' ')}\n${stack ? `${String(stack)}\n` : ''}`;
}

const textOfValue = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=\p{C}]+$/u.test(value) ? value : JSON.stringify(value);

/** Logs JSON lines. Never log personal data, secrets or query strings. */
export const createLog = (level: string, destination = bufferLines(process.stdout)): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );

/** Records a security-relevant event. It is logged after the commit. Pass ids only, never user content. */
export type RecordAudit = (event: string, ids?: Readonly<Record<string, string | number>>) => void;

/** Collects the audit events of a request. Each attempt of its transaction starts over, and a rollback discards them. */
export class AuditLog {
  #entries: object[] = [];

  async collect<T>(work: (record: RecordAudit) => Promise<T>): Promise<T> {
    this.#entries = [];
    const entries: object[] = [];
    const result = await work((event, ids) => void entries.push({ event, ...ids }));
    this.#entries = entries;
    return result;
  }

  /**
   * Discards the events after an error, which rolled the transaction back. Keeps them after an `ApiError`: if the
   * handler returned it instead of throwing it, the transaction was committed.
   */
  discardUnlessApiError(error: unknown): unknown {
    if (!(error instanceof ApiError)) this.#entries = [];
    return error;
  }

  write(log: Log, context: object): void {
    for (const entry of this.#entries) log.info({ ...context, ...entry });
  }
}

/**
 * The fields of an unexpected error for the log, without quoted text: databases, parsers and serialisers quote the
 * offending value.
 */
export function errorFields(error: Error & { code?: string; table?: string; constraint?: string }) {
  const { name, message, code, table, constraint, stack = '' } = error;
  const frames = stack.slice(stack.indexOf(message) + message.length).split('\n');
  return {
    name,
    message: message.replace(/["'`].*["'`]/s, '"…"'),
    code,
    table,
    constraint,
    stack: frames.filter((line) => /^ {4}at /.test(line)).join('\n'),
  };
}
