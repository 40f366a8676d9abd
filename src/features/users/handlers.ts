import { isDuplicate } from '#platform/db.ts';
import { post } from '#platform/mail.ts';
import { limit } from '#platform/rate.ts';
import { digest, randomToken } from '#platform/token.ts';
import type { Context, Handlers } from '#platform/http.ts';
import { addSeconds } from '#wire/instant.ts';
import { refuse, Refused } from '#wire/refusal.ts';
import type { users } from '#features/users/contract.ts';
import { addressChangedLetter, newAddressLetter } from '#features/users/mail.ts';
import * as store from '#features/users/store.ts';

const secondsForNewAddress = 10 * 60;

export const handlers: Handlers<typeof users> = {
  me: ({ db, user }) => store.user(db, user.id),

  async update(context, { email, ...profile }) {
    const { db, user } = context;
    await store.saveProfile(db, user.id, profile);
    if (email !== undefined) await changeAddress(context, email);
    return store.user(db, user.id);
  },

  async confirmEmail({ db, user, now, config }, { code }) {
    const address =
      (await store.addressOfCode(db, user.id, { hash: digest(code), now })) ?? refuse('wrong_code');
    await store.forgetAddress(db, user.id);
    try {
      await store.setAddress(db, user.id, address.pending_email);
    } catch (error) {
      throw isDuplicate(error) ? new Refused('email_taken') : error;
    }
    await post(db, {
      to: address.email,
      about: user.id,
      words: addressChangedLetter(config, address.pending_email),
    });
    return store.user(db, user.id);
  },
};

/** The old address stays in force until the new one is confirmed. Whether the new one is somebody's shows nowhere. */
async function changeAddress({ db, user, now, config }: Context<'user'>, email: string): Promise<void> {
  const { email: current, pending_email } = await store.user(db, user.id);
  if (email === current) return void (pending_email && (await store.forgetAddress(db, user.id)));
  await limit(db, `new-address:${user.id}`, { most: 5, seconds: 60 * 60, now });
  const code = randomToken();
  const ends_at = addSeconds(now, secondsForNewAddress);
  if ((await store.awaitAddress(db, user.id, { email, hash: digest(code), ends_at })) === 0)
    refuse('not_signed_in');
  if (await store.isTaken(db, email)) return;
  await post(db, { to: email, about: user.id, words: newAddressLetter(config, code), until: ends_at });
}
