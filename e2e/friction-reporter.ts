import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import type { Journey } from '#e2e/friction.ts';

/** Prints the screens, taps and fields of each journey and their limits. Used by `npm run friction`. */
export default class FrictionReporter implements Reporter {
  onTestEnd(_test: TestCase, { annotations, error }: TestResult): void {
    for (const { type, description = '' } of annotations) {
      if (type !== 'friction') continue;
      const { name, counts, limits } = JSON.parse(description) as Journey;
      const cells = Object.entries(counts).map(([what, count]) =>
        `${count} ${what} of ${limits[what as keyof Journey['limits']] ?? 'any'}`.padEnd(18),
      );
      process.stdout.write(`${name.padEnd(38)} ${cells.join('')}\n`);
    }
    if (error) process.stdout.write(`${error.message}\n`);
  }
}
