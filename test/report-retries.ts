import { afterEach } from 'vitest';

/** Reports each test that passed only when retried: a bug in the test or in the code. */
afterEach(({ task }) => {
  const [error] = task.result?.errors ?? [];
  if (task.result?.retryCount)
    process.stderr.write(`Passed on retry: ${task.name}: ${error?.message ?? 'no reason given'}\n`);
});
