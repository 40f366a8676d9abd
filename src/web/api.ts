import { contracts } from '#features/contracts.ts';
import { createClient } from '#wire/client.ts';
import { earlyFetch } from './early-fetch.ts';
import { endSession, session } from './session.ts';
import { upload } from './upload.ts';
import { wait } from './waits.ts';

/** Every call there is: `await api.clubs.create({ club_name })`. Throws a `Failure`. */
export const api = createClient(contracts, { origin: '', session, fetch: earlyFetch, upload, wait });

/** Logs out: here at once, on the server as soon as it answers, which nobody waits for. */
export async function logOut({ all }: { all?: boolean } = {}): Promise<void> {
  const past = session.read();
  await endSession();
  const sessionStore = { read: () => past, write: () => {}, lost: () => {}, alone: session.alone };
  await createClient({ auth: contracts.auth }, { origin: '', session: sessionStore })
    .auth.logout({ all })
    .catch((failure: unknown) => console.warn('The session could not be ended on the server.', failure));
}
