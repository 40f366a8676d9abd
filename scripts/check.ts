// Runs every check and every test, and prints how many passed. `--quick` omits what needs a database, a browser or the
// built app.
import { rmSync } from 'node:fs';
import { bin, build, environment, node, run } from './prepare.mjs';
import { browserOutcomes, unitOutcomes, unitResults, type Result } from './results.ts';

const checks: [name: string, args: string[]][] = [
  ['types of the server', [bin('tsc'), '-p', 'tsconfig.server.json']],
  ['types of the web', [bin('tsc'), '-p', 'tsconfig.web.json']],
  ['types of the browser tests', [bin('tsc'), '-p', 'tsconfig.e2e.json']],
  ['lint', [bin('oxlint'), '--deny-warnings']],
  ['format', [bin('oxfmt'), '--check', '.']],
  ['unused code', [bin('knip')]],
];

let passed = 0;
let failed = 0;

async function check(name: string, args: string[]): Promise<void> {
  const started = Date.now();
  const isGreen = (await run(node(), args)) === 0;
  if (isGreen) passed++;
  else failed++;
  console.log(`${isGreen ? '✓' : '✗'} ${name} (${Math.round((Date.now() - started) / 1000)} s)`);
}

/** Runs a test suite, whose processes share compiled code. A runner that fails without a failed test is one failure. */
async function suite(name: string, args: string[], outcomes: () => Result[]): Promise<boolean> {
  const started = Date.now();
  const { NODE_COMPILE_CACHE } = environment;
  const code = await run(node(), args, { env: { NODE_COMPILE_CACHE } });
  const results = outcomes();
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length;
  const broken = Math.max(count('failed'), code === 0 && results.length > 0 ? 0 : 1);
  passed += count('passed');
  failed += broken;
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(
    `${broken === 0 ? '✓' : '✗'} ${name}: ${count('passed')} of ${results.length} passed (${seconds} s)`,
  );
  return broken === 0;
}

// The checks are independent of each other.
const runChecks = () => Promise.all(checks.map(([name, args]) => check(name, args)));

if (process.argv.includes('--quick')) {
  await runChecks();
  await check('unit tests', [bin('vitest'), 'run', '--project=!api']);
} else {
  rmSync('test-results', { recursive: true, force: true });
  await Promise.all([build(), runChecks()]);
  await check('first load', ['scripts/budget.ts']);
  const green = [
    await suite(
      'unit and API tests',
      [bin('vitest'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${unitResults}`],
      unitOutcomes,
    ),
    await suite('browser tests', [bin('playwright'), 'test'], browserOutcomes),
  ];
  // After a failure the missing rows would only repeat the failed tests.
  if (green.every(Boolean)) await check('requirements', ['scripts/requirements.ts']);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
