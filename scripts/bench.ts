// `npm run bench -- workload` measures all kinds of requests on realistic data. `--against` compares the app with that
// of another checkout. `npm run bench -- bare` compares it with a bare node:http server. docs/performance.md describes
// the method.
import { parseArgs } from 'node:util';
import { closeAll } from './app.ts';
import { benchBare } from './bench/bare.ts';
import { mixes } from './bench/mixes.ts';
import type { MixName } from './bench/population.ts';
import { benchWorkload } from './bench/workload.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const texts = {
  against: text,
  clubs: text,
  kinds: text,
  mix: text,
  rounds: text,
  seconds: text,
};
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { ...texts, standby: flag, quick: flag, gate: flag },
});
const { quick, against, gate, standby } = values;
const mix: MixName = values.mix === 'events' ? 'events' : 'basic';
const clubs = Number(values.clubs ?? (quick ? 50 : 1000));
const options = {
  against,
  standby,
  database: { clubs, mix, durable: !quick, seed: 1, base: Date.now() },
  chosen: values.kinds?.split(','),
  rounds: Number(values.rounds ?? (against && !quick ? 5 : 1)),
  seconds: Number(values.seconds ?? (quick ? 0.02 : 2)),
  load: quick ? { rates: [20], seconds: 2, steps: 1 } : { rates: [200, 400, 800], seconds: 15, steps: 6 },
};
const isComparable = (values.mix ?? 'basic') === mix && !options.chosen?.some((name) => !mixes[mix][name]);
const isValid = clubs >= 50 && options.rounds >= 1 && options.seconds > 0;
const mode = isValid && isComparable ? positionals.join() : 'invalid';

if (mode === 'bare') await benchBare(options).finally(closeAll);
else if (mode === 'workload') {
  const isGood = await benchWorkload(options).finally(closeAll);
  process.exitCode = gate && !isGood ? 1 : 0;
} else {
  console.error(`npm run bench -- workload [--mix basic|events] [--against folder [--gate]] [--standby] [--quick] [--rounds n] [--seconds n]
    [--clubs n, at least 50] [--kinds ${Object.keys(mixes[mix]).join(',')}]
npm run bench -- bare`);
  process.exitCode = 2;
}
