import { existsSync, readFileSync } from 'node:fs';

export const reports = { unit: 'test-results/unit.json', browser: 'test-results/browser.json' };

export interface Result {
  title: string;
  outcome: 'passed' | 'failed' | 'skipped';
}

/** A test of Vitest, or a test of Playwright with its runs. */
interface Reported {
  title?: string;
  status?: string;
  ok?: boolean;
  tests?: { status: string }[];
}

function outcomeOf({ status, ok, tests }: Reported): Result['outcome'] {
  if (tests) return tests.every((run) => run.status === 'skipped') ? 'skipped' : ok ? 'passed' : 'failed';
  return status === 'passed' || status === 'failed' ? status : 'skipped';
}

/** The results of the last run. In both kinds of reports, only tests have a title together with a status or `tests`. */
export function resultsIn(report: string): Result[] {
  const results: Result[] = [];
  const collect = (_key: string, value: Reported | null) => {
    if (value?.title && (value.status ?? value.tests))
      results.push({ title: value.title, outcome: outcomeOf(value) });
    return value;
  };
  if (existsSync(report)) JSON.parse(readFileSync(report, 'utf8'), collect);
  return results;
}
