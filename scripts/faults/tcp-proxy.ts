import type { Socket } from 'node:net';

/** What comes from one side goes to the other; when one is gone, so is the other. */
export function pipeBoth(client: Socket, target: Socket): void {
  client.setNoDelay().pipe(target.setNoDelay()).pipe(client);
  for (const [one, other] of [
    [client, target],
    [target, client],
  ] as const)
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
}
