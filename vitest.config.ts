import { defineConfig } from 'vitest/config';

const web = ['src/{ui,web}/**/*.test.{ts,tsx}', 'src/**/web/**/*.test.{ts,tsx}'];

/** Tests of functions that need no database. A test that is missing here runs as an API test. */
const unit = [
  'src/features/*/{rules,form-rules}.test.ts',
  'src/wire/*.test.ts',
  'src/platform/*.test.ts',
  'src/platform/db/{batch-loader,pagination}.test.ts',
  'src/platform/http/{document,reply,response-cache,websocket-upgrade}.test.ts',
  'test/{lighthouse,messages,security-tests,tree,words,workload}.test.ts',
];

export default defineConfig({
  test: {
    // Generous, because tests run slowly on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    // Tests wait for processes and timers. On two cores, a fourth worker takes more from the caches than it adds.
    maxWorkers: 3,
    silent: 'passed-only',
    restoreMocks: true,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.{ts,tsx}'],
      reportOnFailure: true,
      exclude: ['src/**/*.test.*'],
      // Code that decides about access must be fully covered, branches included.
      thresholds: {
        'src/features/{auth,members,invites,calendar}/*.ts': { 100: true },
        'src/features/*/rules.ts': { 100: true },
      },
    },
    projects: [
      {
        extends: true,
        // VM contexts share the loaded jsdom, which takes half of the processor time when each file loads its own.
        test: { name: 'web', include: web, environment: 'jsdom', pool: 'vmThreads' },
      },
      { extends: true, test: { name: 'unit', include: unit, isolate: false } },
      {
        extends: true,
        test: {
          name: 'api',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...web, ...unit],
          globalSetup: ['test/database.ts'],
          // Server modules hold no state, so test files can share loaded modules.
          isolate: false,
        },
      },
    ],
  },
});
