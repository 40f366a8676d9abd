// A balancer that knows nothing: each new connection goes to the next of the servers.
import { connect, createServer, type AddressInfo } from 'node:net';

const origins = process.argv.slice(2).map((origin) => new URL(origin));
let turn = 0;

const server = createServer((client) => {
  const { hostname, port } = origins[turn++ % origins.length] as URL;
  const target = connect(Number(port), hostname).setNoDelay();
  client.setNoDelay().pipe(target).pipe(client);
  for (const [one, other] of [
    [client, target],
    [target, client],
  ] as const)
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
