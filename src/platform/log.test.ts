import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Runs the script in a process and returns its log messages. */
async function messagesOf(script: string): Promise<unknown[]> {
  const code = `import { createLog } from '#platform/log.ts'; const log = createLog('info'); ${script}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
}

test('log: messages of one tick are written as separate lines in order, before later messages', async () => {
  const script = `log.info('one'); log.info('two'); setTimeout(() => log.info('three'), 20);`;
  expect(await messagesOf(script)).toEqual(['one', 'two', 'three']);
});

test('log: buffered lines are flushed when the process exits', async () => {
  expect(
    await messagesOf(`log.info('before'); setImmediate(() => { log.info('last'); process.exit(); });`),
  ).toEqual(['before', 'last']);
});
