import { defineConfig } from 'vitest/config';

const web = ['src/{ui,web}/**/*.test.{ts,tsx}', 'src/**/web/**/*.test.{ts,tsx}'];

/** Tests of code that keeps running as long as its page is open, so that each file needs a page of its own. */
const isolated = ['src/app/web/landing.test.tsx', 'src/web/offline-cache.test.ts'];

/** Tests of functions that need no database. A test that is missing here runs as an API test. */
const unit = [
  'src/features/**/{rules,form-rules,repeat-rules}.test.ts',
  'src/wire/*.test.ts',
  'src/platform/*.test.ts',
  'src/platform/db/{batch-loader,pagination}.test.ts',
  'src/platform/mail/message.test.ts',
  'src/platform/notices/weekly-rules.test.ts',
  'src/platform/http/{document,reply,response-cache,websocket-upgrade}.test.ts',
  'src/platform/http/{accept-language,document,reply,response-cache,websocket-upgrade}.test.ts',
  'test/{image,input-limits,lighthouse,messages,node-choice,release,security-tests,settings}.test.ts',
  'test/{bare-text,shared-forms,tree,words,workload}.test.ts',
];

/** Tests that measure CPU time and need the whole machine: `npm run event-loop`. */
const alone = ['test/event-loop.test.ts'];

export default defineConfig({
  test: {
    // Generous, because tests run slowly on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    // More workers than cores, because tests often wait. With four workers on two cores, some tests wait too long.
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
        'src/features/**/rules.ts': { 100: true },
      },
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'web',
          include: web,
          exclude: isolated,
          // Loading jsdom and the modules of the app in each file takes longer than all tests together.
          environment: 'jsdom',
          setupFiles: ['test/render-page.tsx'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated, environment: 'jsdom' } },
      { extends: true, test: { name: 'unit', include: unit, isolate: false } },
      {
        extends: true,
        test: {
          name: 'api',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...web, ...unit, ...alone],
          globalSetup: ['test/database.ts'],
          // Server modules hold no state, so test files can share loaded modules.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone,
          globalSetup: ['test/database.ts'],
        },
      },
    ],
  },
});
