import type { Socket } from 'node:net';

/** Pipes two sockets into each other and closes them together. */
export function pipeBoth(client: Socket, target: Socket): void {
  client.setNoDelay().pipe(target.setNoDelay()).pipe(client);
  for (const [one, other] of [
    [client, target],
    [target, client],
  ] as const)
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
}
