import { contracts } from '#features/contracts.ts';
import { createClient, type VersionedClient } from '#wire/client.ts';
import { earlyFetch } from './first/early-fetch.ts';
import { endSession, session } from './first/session.ts';
import { endSubscription } from './first/subscription.ts';
import { upload } from './upload.ts';
import { wait } from './waits.ts';

/** Typed client for every API endpoint: `await api.clubs.create({ club_name })`. Throws a `Failure`. */
export const api: VersionedClient<typeof contracts> = createClient(contracts, {
  origin: '',
  session,
  fetch: earlyFetch,
  upload,
  wait,
});

/**
 * Ends the subscription to notifications and the local session, then revokes the session on the server with the old
 * tokens. A failed revocation is only logged. With `next`, a public page stays open until `next` leaves it.
 */
export async function logOut({ all, next }: { all?: boolean; next?: () => void } = {}): Promise<void> {
  const oldAuth = session.read();
  await endSubscription();
  await endSession(undefined, { stays: next !== undefined });
  next?.();
  const oldSession = { read: () => oldAuth, write: () => {}, lost: () => {}, alone: session.alone };
  await createClient({ auth: contracts.auth }, { origin: '', session: oldSession })
    .auth.logout({ all })
    .catch((failure: unknown) => console.warn('The session could not be ended on the server.', failure));
}
