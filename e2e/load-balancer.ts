import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A minimal load balancer: each connection goes to the first origin that accepts it. */
export async function openLoadBalancer() {
  let behind: string[] = [];
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => {}).on('close', () => clients.delete(client));
    forward(client, [...behind]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Sets the origins that new connections try, in this order. */
    forwardTo(...origins: string[]) {
      behind = origins;
    },
    close() {
      server.close();
      for (const client of clients) client.destroy();
    },
  };
}

function forward(client: Socket, [next, ...others]: string[]): void {
  if (!next) return void client.destroy();
  const { hostname, port } = new URL(next);
  const upstream = connect(Number(port), hostname);
  const refused = () => forward(client, others);
  upstream.once('error', refused).once('connect', () => {
    upstream.off('error', refused).on('error', () => {});
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
}
