// `npm start`, `npm run dev`, `npm run seed`, `npm run backup`, `npm run restore`, `npm run move-database`,
// `npm run admin`: installs and builds if needed, then runs the app.
// `npm test` and `npm run check`: installs if needed, then runs every check and every test, or those that need only Node.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bin, build, environment, flags, install, node, root, run } from './prepare.mjs';

const [mode, ...rest] = process.argv.slice(2);
const alone = ['--seed', '--backup', '--restore', '--move-database', '--admin'];
// Ctrl-C in a terminal also reaches the app directly; it ignores the duplicate signal.
const untilStopped = (...args) => run(node(), args, { env: environment, passOn: ['SIGINT', 'SIGTERM'] });
const settings = existsSync(join(root, '.env')) ? ['--env-file=.env'] : [];
const app = (...args) => untilStopped(...flags, ...settings, ...args);

try {
  await install();
  if (mode === '--dev') {
    const web = untilStopped(bin('vite'));
    const codes = await Promise.all([
      app('--watch', '--watch-preserve-output', '--watch-kill-signal=SIGINT', 'src/app/main.ts'),
      web,
    ]);
    process.exitCode = Math.max(...codes);
  } else if (mode === '--test') {
    process.exitCode = await run(node(), ['scripts/check.ts', ...rest]);
  } else if (alone.includes(mode)) {
    process.exitCode = await app(`src/app/${mode.slice(2)}.ts`, ...rest);
  } else {
    await build();
    process.exitCode = await app('src/app/main.ts');
  }
} catch (error) {
  console.error(error.message);
  if (mode === '--test') console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
