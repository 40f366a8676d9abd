import { defineConfig } from '@playwright/test';
import { launchOptions } from './e2e/browser.ts';

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/server.ts',
  fullyParallel: true,
  forbidOnly: true,
  // More workers than cores, because tests often wait. With four workers on two cores, some pages load too slowly.
  workers: 3,
  // The longest test starts first. Started near the end, it would run alone after all others.
  projects: [
    { name: 'story', testMatch: 'story.spec.ts' },
    { name: 'others', testIgnore: 'story.spec.ts' },
  ],
  timeout: 45_000,
  expect: { timeout: 7_000 },
  reporter: [['dot'], ['json', { outputFile: 'test-results/browser.json' }]],
  outputDir: 'test-results/failures',
  use: {
    actionTimeout: 10_000,
    navigationTimeout: 15_000,
    launchOptions: await launchOptions(),
    screenshot: 'only-on-failure',
    contextOptions: { reducedMotion: 'reduce' },
    // Installing the service worker would load the whole app in every new context. pwa.spec.ts allows service workers.
    serviceWorkers: 'block',
  },
});
