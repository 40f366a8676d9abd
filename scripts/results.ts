import { existsSync, readFileSync } from 'node:fs';

export const unitResults = 'test-results/unit.json';
export const browserResults = 'test-results/browser.json';

export interface Result {
  title: string;
  outcome: 'passed' | 'failed' | 'skipped';
}

interface UnitReport {
  testResults: { assertionResults: { title: string; status: string }[] }[];
}

interface BrowserSuite {
  suites?: BrowserSuite[];
  specs: { title: string; ok: boolean; tests: { status: string }[] }[];
}

const read = <T>(file: string): T | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;

/** Results of the last run of the unit and API tests. */
export function unitOutcomes(): Result[] {
  const report = read<UnitReport>(unitResults);
  return (report?.testResults ?? []).flatMap((file) =>
    file.assertionResults.map(({ title, status }) => ({
      title,
      outcome: status === 'passed' || status === 'failed' ? status : 'skipped',
    })),
  );
}

/** Results of the last run of the browser tests. */
export function browserOutcomes(): Result[] {
  const specs = (suite: BrowserSuite): BrowserSuite['specs'] => [
    ...suite.specs,
    ...(suite.suites ?? []).flatMap(specs),
  ];
  const report = read<{ suites: BrowserSuite[] }>(browserResults);
  return (report?.suites ?? []).flatMap(specs).map(({ title, ok, tests }) => ({
    title,
    outcome: tests.every((one) => one.status === 'skipped') ? 'skipped' : ok ? 'passed' : 'failed',
  }));
}

export const passedTitles = (): string[] =>
  [...unitOutcomes(), ...browserOutcomes()]
    .filter(({ outcome }) => outcome === 'passed')
    .map(({ title }) => title);
