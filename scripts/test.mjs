// `npm test`: installs the packages if needed, then runs every check and every test.
import { install, node, run } from './prepare.mjs';

try {
  await install();
  process.exitCode = await run(node(), ['scripts/check.ts']);
} catch (error) {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
