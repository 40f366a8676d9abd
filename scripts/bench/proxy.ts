// A balancer that knows nothing: each new connection goes to the next of the servers.
import { connect, createServer, type AddressInfo } from 'node:net';
import { pipeBoth } from '../faults/tcp-proxy.ts';

const origins = process.argv.slice(2).map((origin) => new URL(origin));
let turn = 0;

const server = createServer((client) => {
  const { hostname, port } = origins[turn++ % origins.length] as URL;
  pipeBoth(client, connect(Number(port), hostname));
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
