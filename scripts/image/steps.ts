/** A step of the trial: what it shows, and what it does. It may resolve with a text for the report. */
export type Step = [promise: string, action: () => Promise<unknown>];

/** A step throws this if it cannot run here. The message is the reason. */
export class NotTried extends Error {}

export interface Outcome {
  part: string;
  promise: string;
  result: 'passed' | 'FAILED' | 'not tried';
  detail: string;
  seconds: number;
}

/** Runs the steps of a part in their order. If a step fails, or the first cannot run, the others are not tried. */
export async function runSteps(
  part: string,
  steps: readonly Step[],
  print: (line: string) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [promise, action] of steps) {
    const blocking = outcomes.find(
      ({ result }, index) => result === 'FAILED' || (index === 0 && result === 'not tried'),
    );
    const started = performance.now();
    const [result, detail] = blocking
      ? (['not tried', `it needs “${blocking.promise}”`] as const)
      : await action().then(
          (figures) => ['passed', typeof figures === 'string' ? figures : ''] as const,
          (error: Error) =>
            error instanceof NotTried
              ? (['not tried', error.message] as const)
              : (['FAILED', error.message] as const),
        );
    const seconds = (performance.now() - started) / 1000;
    outcomes.push({ part, promise, result, detail, seconds });
    print(`${result}: ${part}: ${promise} (${seconds.toFixed(1)} s)${detail && `: ${detail}`}`);
  }
  return outcomes;
}

/** The report: the steps that passed or failed, then every step that was not tried with its reason. */
export function reportOf(outcomes: readonly Outcome[]): string {
  const count = (wanted: Outcome['result']) => outcomes.filter(({ result }) => result === wanted).length;
  const tried = outcomes.filter(({ result }) => result !== 'not tried');
  const skipped = outcomes.filter(({ result }) => result === 'not tried');
  const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
  return [
    '| part | step | result | seconds | figures |',
    '| --- | --- | --- | --- | --- |',
    ...tried.map(
      ({ part, promise, result, seconds, detail }) =>
        `| ${part} | ${promise} | ${result} | ${seconds.toFixed(1)} | ${detail.replaceAll('\n', ' ')} |`,
    ),
    '',
    `Not tried: ${skipped.length === 0 ? 'nothing' : ''}`,
    ...skipped.map(({ part, promise, detail }) => `- ${part}: ${promise}: ${detail}`),
    '',
    `${count('passed')} passed, ${count('FAILED')} failed, ${skipped.length} not tried, in ${Math.round(seconds)} s`,
  ].join('\n');
}
