import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** What a process says that runs this. */
async function said(script: string): Promise<unknown[]> {
  const code = `import { createLog } from '#platform/log.ts'; const log = createLog('info'); ${script}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
}

test('lines of one moment stand in the log one by one, in their order, and so does what comes later', async () => {
  const script = `log.info('one'); log.info('two'); setTimeout(() => log.info('three'), 20);`;
  expect(await said(script)).toEqual(['one', 'two', 'three']);
});

test('what is said right before the process ends is in the log', async () => {
  expect(
    await said(`log.info('before'); setImmediate(() => { log.info('last'); process.exit(); });`),
  ).toEqual(['before', 'last']);
});
