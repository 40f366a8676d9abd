// Loaded before the app by `test/connections.test.ts`. Appends every host that the process looks up, every address to
// which it connects or sends, and every process that it starts, to the file in CONNECTIONS. The hook sees all libraries,
// because it observes the handles of Node and not its functions.
import { createHook } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';

const file = process.env['CONNECTIONS'] as string;

interface Resource {
  hostname?: string;
  address?: string;
  port?: number;
}

const observed = new Set([
  'GETADDRINFOREQWRAP',
  'QUERYWRAP',
  'TCPCONNECTWRAP',
  'PIPECONNECTWRAP',
  'UDPWRAP',
  'PROCESSWRAP',
]);

createHook({
  init(_id, type, _trigger, resource: Resource) {
    if (!observed.has(type)) return;
    // Node sets these fields right after it has created the resource.
    process.nextTick(() => {
      const { hostname, address, port } = resource;
      appendFileSync(file, `${JSON.stringify({ type, to: hostname ?? address, port })}\n`);
    });
  },
}).enable();
