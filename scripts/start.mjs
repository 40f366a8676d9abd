// `npm start`, `npm run dev`, `npm run seed`: installs and builds what is missing, then runs the app.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bin, build, install, node, root, run } from './prepare.mjs';

const mode = process.argv[2];
// Ctrl-C at a terminal reaches the app by itself as well; it stops once, however often it is told to.
const untilStopped = (...args) => run(node(), args, { passOn: ['SIGINT', 'SIGTERM'] });
const settings = existsSync(join(root, '.env')) ? ['--env-file=.env'] : [];
const app = (...args) => untilStopped(...settings, ...args);

try {
  await install();
  if (mode === '--dev') {
    const web = untilStopped(bin('vite'));
    const codes = await Promise.all([
      app('--watch', '--watch-preserve-output', '--watch-kill-signal=SIGINT', 'src/app/main.ts'),
      web,
    ]);
    process.exitCode = Math.max(...codes);
  } else if (mode === '--seed') {
    process.exitCode = await app('src/app/seed.ts');
  } else {
    await build();
    process.exitCode = await app('src/app/main.ts');
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
