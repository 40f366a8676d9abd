import { defineConfig } from '@playwright/test';
import { launchOptions } from './e2e/browser.ts';

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/server.ts',
  fullyParallel: true,
  forbidOnly: true,
  workers: 4,
  retries: 1,
  timeout: 45_000,
  expect: { timeout: 7_000 },
  reporter: [['dot'], ['json', { outputFile: 'test-results/browser.json' }]],
  outputDir: 'test-results/traces',
  use: {
    actionTimeout: 10_000,
    navigationTimeout: 15_000,
    launchOptions: await launchOptions(),
    // Pictures of every step cost a sixth of the time; what a failed step saw is in its report.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    screenshot: 'only-on-failure',
    contextOptions: { reducedMotion: 'reduce' },
    // It answers no call of the API, and every fresh browser would load the whole app for it: pwa.spec.ts lets it in.
    serviceWorkers: 'block',
  },
});
