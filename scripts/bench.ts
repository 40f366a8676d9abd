// `npm run bench -- workload` measures all kinds of requests on realistic data, also against another checkout;
// `npm run bench -- bare` compares with a bare node:http server. docs/performance.md describes the method.
import { parseArgs } from 'node:util';
import { closeAll } from './app.ts';
import { benchBare } from './bench/bare.ts';
import { kinds } from './bench/kinds.ts';
import { benchWorkload } from './bench/workload.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { against: text, kinds: text, rounds: text, seconds: text, clubs: text, quick: flag, gate: flag },
});
const { quick, against, gate } = values;
const options = {
  against,
  chosen: values.kinds?.split(','),
  clubs: Number(values.clubs ?? (quick ? 60 : 1000)),
  rounds: Number(values.rounds ?? (against && !quick ? 5 : 1)),
  seconds: Number(values.seconds ?? (quick ? 0.1 : 2)),
  load: quick ? { rates: [20], seconds: 3, steps: 1 } : { rates: [200, 400, 800], seconds: 15, steps: 6 },
};
const isValid = options.clubs >= 50 && options.rounds >= 1 && options.seconds > 0;
const mode = isValid && !options.chosen?.some((name) => !kinds[name]) ? positionals.join() : 'invalid';

if (mode === 'bare') await benchBare(options).finally(closeAll);
else if (mode === 'workload') {
  const isGood = await benchWorkload(options).finally(closeAll);
  process.exitCode = gate && !isGood ? 1 : 0;
} else {
  console.error(`npm run bench -- workload [--against folder [--gate]] [--quick] [--rounds n] [--seconds n] [--clubs n, at least 50]
    [--kinds ${Object.keys(kinds).join(',')}]
npm run bench -- bare`);
  process.exitCode = 2;
}
