import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import { disconnectAccount } from '#features/payments/gateway.ts';
import { accountOf, isConnected } from '#features/payments/store.ts';

/** Sees to it that the provider hears of somebody who goes. The job knows nothing of them but their account there. */
export async function disconnectLater(db: Db, config: Config, user: string): Promise<void> {
  const known = config.stripe?.clientId && (await accountOf(db, user));
  if (known) await enqueue(db, 'disconnect_account', { account: known.account }, { lowPriority: true });
}

export const paymentTasks = (db: Db, config: Config): Tasks => ({
  /** Unless its owner has come back with it meanwhile. */
  async disconnect_account({ account }: { account: string }) {
    if (!(await isConnected(db, account))) await disconnectAccount(config, account);
  },
});
