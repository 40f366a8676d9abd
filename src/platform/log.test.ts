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

test('log: LOG_FORMAT=text writes one line per message, with the stack of an error below it [OPER-12]', async () => {
  const code = `
    import { createLog, errorFields, logTo } from '#platform/log.ts';
    const log = createLog('info', logTo('text'));
    log.info({ path: '/app/:club', status: 200, user: undefined });
    log.warn({ line: 'two\\nlines, "quoted"', open: ['a b'] }, 'postgres');
    log.warn({ error: 'gone' }, 'a part is down');
    log.error({ error: errorFields(new TypeError('broken')) }, 'fault');
    log.debug('silent');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+Z /gm;
  expect(stdout.match(time)).toHaveLength(4);
  const [request, quoted, down, fault, ...stack] = stdout.replaceAll(time, '').trimEnd().split('\n');
  expect([request, quoted, down, fault]).toEqual([
    'INFO  path=/app/:club status=200',
    'WARN  postgres line="two\\nlines, \\"quoted\\"" open=["a b"]',
    'WARN  a part is down error=gone',
    'ERROR fault name=TypeError message=broken',
  ]);
  expect(stack.length).toBeGreaterThan(0);
  expect(stack.filter((line) => !line.startsWith('    at '))).toEqual([]);
});
