import { afterEach } from 'vitest';

/** Names each test that passes only when it is run again. That is a bug, of the test or of what it tests. */
afterEach(({ task }) => {
  if (task.result?.retryCount) process.stderr.write(`Second try: ${task.name}\n`);
});
