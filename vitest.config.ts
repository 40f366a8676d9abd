import { defineConfig } from 'vitest/config';

const web = ['src/{ui,web}/**/*.test.{ts,tsx}', 'src/**/web/**/*.test.{ts,tsx}'];

export default defineConfig({
  test: {
    globalSetup: ['test/database.ts'],
    // Generous, because tests run slowly on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 4,
    retry: 1,
    setupFiles: ['test/report-retries.ts'],
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
      { extends: true, test: { name: 'web', include: web, environment: 'jsdom' } },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: web,
          // Server modules hold no state, so test files can share loaded modules.
          isolate: false,
        },
      },
    ],
  },
});
