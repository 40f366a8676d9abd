import { defineConfig } from 'vitest/config';

const web = ['src/{ui,web}/**/*.test.{ts,tsx}', 'src/**/web/**/*.test.{ts,tsx}'];

export default defineConfig({
  test: {
    globalSetup: ['test/database.ts'],
    // A machine that is busy is slow, not wrong.
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
      // What decides a right has no line and no way through it that no test has been on.
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
          // Nothing on this side lives in a module, so that files can share what is loaded and compiled.
          isolate: false,
        },
      },
    ],
  },
});
