// Checks the OpenAPI document with the recommended rules of Redocly. `redocly.yaml` has the exceptions.
import { mkdirSync, writeFileSync } from 'node:fs';
import { openApi } from '#app/openapi.ts';
import { bin, node, run } from './prepare.mjs';

const file = 'dist/openapi.json';
mkdirSync('dist', { recursive: true });
writeFileSync(file, JSON.stringify(openApi({ name: 'Muster', url: 'https://muster.test' })));
const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
process.exitCode = await run(node(), [bin('redocly'), 'lint', file], { env });
