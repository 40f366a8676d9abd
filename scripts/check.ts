// Runs every check and every test, and prints how many passed. `--quick` omits what needs a database, a browser or the
// built app.
import { rmSync } from 'node:fs';
import { bin, build, environment, node, run } from './prepare.mjs';
import { reports, resultsIn, type Result } from './results.ts';

const checks: [name: string, args: string[]][] = [
  ['types of the server', [bin('tsc'), '-p', 'tsconfig.server.json']],
  ['types of the web', [bin('tsc'), '-p', 'tsconfig.web.json']],
  ['types of the browser tests', [bin('tsc'), '-p', 'tsconfig.e2e.json']],
  ['lint', [bin('oxlint'), '--deny-warnings']],
  ['format', [bin('oxfmt'), '--check', '.']],
  ['unused code', [bin('knip')]],
  ['OpenAPI document', ['scripts/openapi.ts']],
];

let passed = 0;
let failed = 0;

/**
 * Runs a check, or a test suite if it writes a `report`. The processes of a suite share compiled code. A suite that
 * fails without a failed test counts as one failure.
 */
async function check(name: string, args: string[], report?: string): Promise<boolean> {
  const started = Date.now();
  const { NODE_COMPILE_CACHE } = environment;
  const code = await run(node(), args, report ? { env: { NODE_COMPILE_CACHE } } : {});
  const outcomes = report ? resultsIn(report).map(({ outcome }) => outcome) : [code ? 'failed' : 'passed'];
  const count = (wanted: Result['outcome']) => outcomes.filter((outcome) => outcome === wanted).length;
  const broken = Math.max(count('failed'), code === 0 && outcomes.length > 0 ? 0 : 1);
  passed += count('passed');
  failed += broken;
  const counts = report ? `: ${count('passed')} of ${outcomes.length} passed` : '';
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`${broken === 0 ? '✓' : '✗'} ${name}${counts} (${seconds} s)`);
  return broken === 0;
}

// The checks are independent of each other.
const runChecks = () => Promise.all(checks.map(([name, args]) => check(name, args)));

if (process.argv.includes('--quick')) {
  await runChecks();
  await check('unit tests', [bin('vitest'), 'run', '--project=!api', '--project=!alone']);
} else {
  rmSync('test-results', { recursive: true, force: true });
  await Promise.all([build(), runChecks()]);
  await check('first load', ['scripts/budget.ts']);
  const json = ['--reporter=default', '--reporter=json', `--outputFile.json=${reports.unit}`];
  const green = [
    await check('unit and API tests', [bin('vitest'), 'run', '--project=!alone', ...json], reports.unit),
    await check('browser tests', [bin('playwright'), 'test'], reports.browser),
  ];
  // After a failure, the list of unproven requirements would only repeat the failed tests.
  if (green.every(Boolean)) await check('requirements', ['scripts/requirements.ts']);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
