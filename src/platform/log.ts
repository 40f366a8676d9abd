import pino, { type DestinationStream } from 'pino';
import { ApiError } from '#wire/errors.ts';

export type Log = pino.Logger;

/** Hands on together what is written in one turn of the loop: to write each line by itself is a tenth of a quick request. */
function mergeEmails(to: NodeJS.WriteStream): DestinationStream {
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

/** JSON lines. Nothing personal, no secret, no query string may be handed to it. */
export const createLog = (level: string, destination = mergeEmails(process.stdout)): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );

/** Tells the log of something that concerns who may do what, once the deed is done: ids only, never a word of anybody. */
export type RecordAudit = (event: string, ids?: Readonly<Record<string, string | number>>) => void;

/** What a request has to tell: each try of its transaction begins anew, and what did not commit has not happened. */
export class AuditLog {
  #noted: object[] = [];

  async during<T>(work: (record: RecordAudit) => Promise<T>): Promise<T> {
    this.#noted = [];
    const noted: object[] = [];
    const result = await work((event, ids) => void noted.push({ event, ...ids }));
    this.#noted = noted;
    return result;
  }

  /** A refusal may have been committed; after anything else there is nothing to tell. */
  discardUnlessApiError(error: unknown): unknown {
    if (!(error instanceof ApiError)) this.#noted = [];
    return error;
  }

  tell(log: Log, about: object): void {
    for (const entry of this.#noted) log.info({ ...about, ...entry });
  }
}

/**
 * What is logged of a fault: the whole error but for what it quotes. Databases, parsers and serialisers like to repeat
 * the value that they could not take.
 */
export function errorFields(error: Error & { code?: string; table?: string; constraint?: string }) {
  const { name, message, code, table, constraint, stack = '' } = error;
  const steps = stack.slice(stack.indexOf(message) + message.length).split('\n');
  return {
    name,
    message: message.replace(/["'`].*["'`]/s, '"…"'),
    code,
    table,
    constraint,
    stack: steps.filter((line) => /^ {4}at /.test(line)).join('\n'),
  };
}
