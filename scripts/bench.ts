// `npm run bench`: how close Muster comes to what the machine can do. `-- club feed` measures the rows whose names hold
// one of these words, `--size small` or `--size 10x` does it on a hundredth or on ten times of the data, `--processes 4`
// also tries several processes, `--database-url` another server, of which the user may make databases.
import { parseArgs } from 'node:util';
import { attending } from './bench/attending.ts';
import { openCluster } from './bench/cluster.ts';
import { shapeOf } from './bench/dataset.ts';
import { statements } from './bench/counting.ts';
import { mixed, sockets } from './bench/crowd.ts';
import { clubFeed, knownClubFeed, knownPersonalFeed, personalFeed } from './bench/feeds.ts';
import { growth, largeClub } from './bench/growth.ts';
import { publishing } from './bench/publishing.ts';
import { eventPage, home, notices } from './bench/reads.ts';
import { coldStart, memory } from './bench/running.ts';
import { several } from './bench/several.ts';
import { openBench, type Measurement, type Row } from './bench/row.ts';

const measurements: Record<string, Measurement> = {
  'event-page': eventPage,
  home,
  notifications: notices,
  'personal-feed': personalFeed,
  'personal-feed-known': knownPersonalFeed,
  'club-feed': clubFeed,
  'club-feed-known': knownClubFeed,
  attend: attending,
  publish: publishing,
  'large-club': largeClub,
  mixed,
  memory,
  statements,
  sockets,
  growth,
  'cold-start': coldStart,
};

const sizes: Record<string, number> = { small: 10, '1x': 1000, '10x': 10_000 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: '1x' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    'database-url': { type: 'string' },
    processes: { type: 'string' },
  },
});
if (values.processes) measurements['processes'] = several(Number(values.processes));
const clubs = sizes[values.size];
const chosen = Object.entries(measurements).filter(
  ([name]) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
);
if (clubs === undefined || chosen.length === 0) {
  console.error(`Sizes: ${Object.keys(sizes).join(', ')}. Rows: ${Object.keys(measurements).join(', ')}.`);
  process.exit(2);
}

const cluster = await openCluster(values['database-url']);
const rows: Row[] = [];
try {
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const bench = await openBench(cluster, { size: values.size, shape: shapeOf(clubs), rounds, seconds });
  for (const [name, measure] of chosen) {
    const started = performance.now();
    const measured = await measure(bench).catch((error: Error) => [
      { what: name, against: '', result: error.message, target: '', held: false },
    ]);
    for (const row of measured) console.log(`${Object.values(row).join(' | ')}`);
    console.log(`  (${name}: ${((performance.now() - started) / 1000).toFixed(0)} s)`);
    rows.push(...measured);
  }
  await bench.close();
} finally {
  await cluster.stop();
}

const table = [
  ['what', 'against', 'ratio', 'target', 'held'],
  ...rows.map(({ what, against, result, target, held }) => [
    what,
    against,
    result,
    target,
    held === undefined ? '–' : held ? 'yes' : 'NO',
  ]),
];
const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
console.log('');
for (const row of table)
  console.log(`| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
if (rows.some(({ held }) => held === false)) process.exitCode = 1;
