import { afterEach } from 'vitest';

/** Names each test that passes only when it is run again. That is a bug, of the test or of what it tests. */
afterEach(({ task }) => {
  const [error] = task.result?.errors ?? [];
  if (task.result?.retryCount)
    process.stderr.write(`Second try: ${task.name}: ${error?.message ?? 'no reason given'}\n`);
});
