import { parseArgs } from 'node:util';
import type { Config } from '#platform/config.ts';
import { inTransaction, openDatabase, readClock } from '#platform/db/client.ts';
import { auditing } from '#app/admin-log.ts';
import {
  commands,
  options,
  type Arguments,
  type Command,
  type Done,
  type Installation,
} from '#app/admin-commands.ts';
// Registers the listeners and the notices of all features.
import '#app/features.ts';

interface Environment {
  config: Config;
  /** Resolves with whether the operator agrees. */
  ask(question: string): Promise<boolean>;
  print(text: string): void;
  /** Starts the bundled database if it is not running. */
  openDatabase(): Promise<{ url: string; stop(): Promise<void> }>;
}

/** Runs one command and returns the exit code. */
export async function administer(
  argv: readonly string[],
  { config, ask, print, openDatabase: start }: Environment,
): Promise<number> {
  const line = commandLineOf(argv);
  const server = await start();
  const { db, close } = openDatabase(server.url, { size: 2, onError: () => {} });
  try {
    const question = line.yes ? undefined : await line.command.asks?.({ db, ...line }, ...line.args);
    if (question && !(await ask(question))) throw new Error('Nothing was changed.');
    const result = await execute(line, { config, databaseUrl: server.url, db });
    const text = line.json ? JSON.stringify(result) : textOf(result);
    if (text) print(text);
    return isFailed(result) ? 1 : 0;
  } finally {
    await close();
    await server.stop();
  }
}

const execute = ({ name, command, args, options: given }: CommandLine, installation: Installation) =>
  'operate' in command
    ? command.operate(installation, ...args)
    : inTransaction(installation.db, async (db) => {
        const now = await readClock(db, 0);
        return auditing(db, name, (record) =>
          command.run({ db, now, config: installation.config, record, options: given }, ...args),
        );
      });

const isFailed = (result: object) =>
  [result]
    .flat()
    .some((each: Partial<Done> | { result?: string }) =>
      'failed' in each ? each.failed : 'result' in each && each.result === 'failed',
    );

type CommandLine = ReturnType<typeof commandLineOf>;

function commandLineOf(argv: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      ...options,
      yes: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const [name = '', ...given] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new Error(help());
  const { yes, json, ...others } = values;
  const isUnknown = Object.entries(others).some(
    ([option, value]) => value && !command.options?.includes(option as keyof typeof options),
  );
  const { args: names, isOptional } = command;
  if (isUnknown || given.length > names.length || (!isOptional && given.length < names.length))
    throw new Error(`The command is: ${usageOf(name, command)}`);
  const args: Arguments = [given[0] ?? '', given[1] ?? '', given[2] ?? ''];
  return { name, command, args, options: others, yes, json };
}

function usageOf(name: string, { args, isOptional, options: taken = [] }: Command): string {
  const places = args.map((arg) => (isOptional ? `[<${arg}>]` : `<${arg}>`));
  const flags = taken.map((option) =>
    options[option].type === 'string' ? `[--${option} <words>]` : `[--${option}]`,
  );
  return [name, ...places, ...flags].join(' ');
}

function help(): string {
  const lines = Object.entries(commands).map(
    ([name, command]) => `  ${usageOf(name, command).padEnd(34)} ${command.does}`,
  );
  return `${lines.join('\n')}\n\n--json prints the result as JSON, and --yes answers the questions that some commands ask.`;
}

/** The text of a result. Control characters in the texts of users must not reach the terminal. */
function textOf(result: object): string {
  if (Array.isArray(result)) return columns(result as Row[]);
  if ('message' in result) return plain(result.message);
  return Object.entries(result)
    .map(([name, value]: [string, unknown]) => {
      if (Array.isArray(value)) return `\n${name}\n${columns(value as Row[])}`;
      if (typeof value === 'object' && value !== null) return `\n${name}\n${textOf(value)}`;
      return `${name}: ${plain(value)}`;
    })
    .join('\n');
}

type Row = Record<string, unknown>;

const plain = (value: unknown) => String(value ?? '–').replaceAll(/\p{Cc}/gu, ' ');

/** Rows as aligned columns. */
function columns(rows: readonly Row[]): string {
  if (rows.length === 0) return 'none';
  const names = Object.keys(rows[0] as Row);
  const cells = [names, ...rows.map((row) => names.map((name) => plain(row[name])))];
  const widths = names.map((_, n) => Math.max(...cells.map((line) => (line[n] as string).length)));
  return cells
    .map((line) =>
      line
        .map((cell, n) => cell.padEnd(widths[n] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
