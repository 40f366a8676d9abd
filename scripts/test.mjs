// `npm test` installs the packages if needed, then runs every check and every test. `npm run check` omits what needs a
// database, a browser or the built app.
import { install, node, run } from './prepare.mjs';

try {
  await install();
  process.exitCode = await run(node(), ['scripts/check.ts', ...process.argv.slice(2)]);
} catch (error) {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
