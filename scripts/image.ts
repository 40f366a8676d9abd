// `npm run image`: builds the image and tries it as operators do, with Docker or Podman. Prints a report, which names every
// step that was not tried. Exits with 1 if a step failed, and with 2 if neither engine can be used.
// Options: `--engine podman`, `--tag muster`, and the base images `--node-image` and `--postgres-image`.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { scratch } from '#test/scratch-directory.ts';
import { closeAll, opened } from './app.ts';
import { contentSteps, limitsOf } from './image/contents.ts';
import { findEngine, NoEngine } from './image/engine.ts';
import {
  bundledSteps,
  composeSteps,
  externalSettings,
  externalStep,
  restrictedSteps,
  upgradeSteps,
  type Backup,
} from './image/parts.ts';
import { reportOf, runSteps, type Outcome, type Step } from './image/steps.ts';
import { openMailSink, openNetwork, type Trial } from './image/trial.ts';
import { install } from './prepare.mjs';

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    tag: { type: 'string', default: 'muster' },
    'node-image': { type: 'string', default: 'node:24-slim' },
    'postgres-image': { type: 'string', default: 'postgres:18' },
  },
});

async function tryImage(): Promise<Outcome[]> {
  const engine = await findEngine(values.engine);
  console.log(`${engine.name} ${engine.version} on ${process.platform} ${process.arch}`);
  await install();
  const folder = await mkdtemp(join(scratch, 'muster-image-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const network = `muster-trial-${process.pid}`;
  const images = {
    muster: values.tag,
    release: `${network}-release`,
    node: values['node-image'],
    postgres: values['postgres-image'],
  };
  const trial: Trial = { engine, images, folder, network };
  const backup = { file: join(folder, 'trial.backup'), secretKey: '' } as Backup;

  const outcomes: Outcome[] = [];
  const run = async (part: string, steps: readonly Step[]) => {
    outcomes.push(...(await runSteps(part, steps, console.log)));
  };
  await run('image', contentSteps(trial));
  if (outcomes[0]?.result === 'passed') {
    await openNetwork(trial);
    await openMailSink(trial);
    const external = { name: 'external', settings: externalSettings(trial), backup };
    await run('bundled database', bundledSteps(trial, backup));
    await run(
      'bundled database, restricted',
      restrictedSteps(trial, { name: 'restricted', settings: {}, backup }),
    );
    await run('external database, restricted', [externalStep(trial), ...restrictedSteps(trial, external)]);
    await run('compose.yaml', composeSteps(trial, backup));
    await run('upgrade', upgradeSteps(trial));
  }
  return [...outcomes, ...limitsOf(trial)];
}

try {
  const outcomes = await tryImage();
  console.log(`\n${reportOf(outcomes)}`);
  if (outcomes.some(({ result }) => result === 'FAILED')) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof NoEngine)) throw error;
  console.error(error.message);
  process.exitCode = 2;
} finally {
  await closeAll();
}
process.exit();
