import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import { disconnectAccount } from '#features/payments/gateway.ts';
import { accountOf, isConnected } from '#features/payments/store.ts';

/** Enqueues the disconnection of a deleted user's account. The job contains only the provider's account id. */
export async function disconnectLater(db: Db, config: Config, user: string): Promise<void> {
  const account = config.stripe?.clientId && (await accountOf(db, user));
  if (account) await enqueue(db, 'disconnect_account', { account: account.account }, { lowPriority: true });
}

export const paymentTasks = (db: Db, config: Config): Tasks => ({
  /** Skipped if a user has connected the account again meanwhile. */
  async disconnect_account({ account }: { account: string }) {
    if (!(await isConnected(db, account))) await disconnectAccount(config, account);
  },
});
