import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** One address for several processes, as a load balancer has it: a connection goes to the first that takes it. */
export async function openLoadBalancer() {
  let behind: string[] = [];
  const visitors = new Set<Socket>();
  const server = createServer((visitor) => {
    visitors.add(visitor);
    visitor.on('error', () => {}).on('close', () => visitors.delete(visitor));
    lead(visitor, [...behind]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** New connections try these origins one after the other. */
    leadsTo(...origins: string[]) {
      behind = origins;
    },
    close() {
      server.close();
      for (const visitor of visitors) visitor.destroy();
    },
  };
}

function lead(visitor: Socket, [next, ...others]: string[]): void {
  if (!next) return void visitor.destroy();
  const { hostname, port } = new URL(next);
  const process = connect(Number(port), hostname);
  const refused = () => lead(visitor, others);
  process.once('error', refused).once('connect', () => {
    process.off('error', refused).on('error', () => {});
    visitor.pipe(process).pipe(visitor);
    visitor.once('close', () => process.destroy());
    process.once('close', () => visitor.destroy());
  });
}
