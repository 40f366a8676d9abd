/** One character of each class that text processing handles differently. */
const characters = [
  'a',
  '.',
  '@',
  '\0',
  '\t',
  '\n',
  ' ',
  '\u0301',
  '\u200B',
  '\u202E',
  '\u202C',
  '\u2066',
  '\u2069',
  '\uFFFE',
  '\u{1FFFE}',
  '\uD800',
];

const full = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Texts of this length: one unit repeated, two units alternating, and half of one unit followed by half of another. */
export function* hostileTexts(length: number, units: readonly string[] = characters): Generator<string> {
  const half = Math.ceil(length / 2);
  for (const one of units) {
    yield full(one, length);
    for (const other of units) {
      if (one === other) continue;
      yield full(one + other, length);
      yield full(one, half) + full(other, length - half);
    }
  }
}

/** The characters, and units that occur in addresses, dates and names. */
export const addressUnits = [
  ...characters,
  '-',
  '\uFDFA',
  'http://',
  'https://a',
  'mailto:',
  'a@',
  '@a.',
  '.a',
  '(',
  ')',
  '"',
  '!',
  '1',
  '1 ',
  '-1',
  '1t',
  '12/24/',
  'pm ',
  'Ⅷ',
];

/** Milliseconds of CPU time of an operation: the shortest of eight runs. Stops at the first run below the limit. */
export function shortestRun(operation: () => unknown, limit: number): number {
  let shortest = Infinity;
  for (let run = 0; run < 8 && shortest >= limit; run++) {
    const start = process.threadCpuUsage();
    operation();
    const { user, system } = process.threadCpuUsage(start);
    shortest = Math.min(shortest, (user + system) / 1000);
  }
  return shortest;
}
