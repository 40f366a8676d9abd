import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const engines = ['docker', 'podman'] as const;

export interface Engine {
  name: (typeof engines)[number];
  version: string;
  /** Runs a command of the engine and resolves with what it prints. */
  run: (...args: string[]) => Promise<string>;
  /** Whether `docker compose` or `podman compose` exists. The older docker-compose 1 cannot read compose.yaml. */
  hasCompose: boolean;
}

/** There is no usable engine. The message names what to install or to start. */
export class NoEngine extends Error {}

/** Runs a program and resolves with its standard output. Fails with its last lines. */
export async function execute(program: string, args: readonly string[], cwd?: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, maxBuffer: 100_000_000 });
    return stdout.trim();
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
    const lines = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n');
    throw new Error(`${program} ${args[0]}: ${lines || message}`, { cause: error });
  }
}

const succeeds = (program: string, args: readonly string[]) =>
  execute(program, args).then(
    () => true,
    () => false,
  );

/** Docker if its server responds, else Podman. With `only`, no other engine than this one. */
export async function findEngine(only?: string): Promise<Engine> {
  const problems: string[] = [];
  for (const name of engines.filter((each) => only === undefined || each === only)) {
    if (!(await succeeds(name, ['--version']))) continue;
    try {
      await execute(name, ['info']);
    } catch (error) {
      problems.push(`${name} is installed but does not work (${(error as Error).message}).`);
      continue;
    }
    const side = name === 'docker' ? 'Server' : 'Client';
    const version = await execute(name, ['version', '--format', `{{.${side}.Version}}`]);
    const run = (...args: string[]) => execute(name, args);
    return { name, version, run, hasCompose: await succeeds(name, ['compose', 'version']) };
  }
  const [problem = `${only ?? 'Neither Docker nor Podman'} is ${only ? 'not ' : ''}installed.`] = problems;
  throw new NoEngine(
    `${problem} The image needs Docker or Podman: on Debian, apt install docker.io or apt install podman.`,
  );
}
