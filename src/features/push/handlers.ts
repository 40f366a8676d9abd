import { randomUUID } from 'node:crypto';
import type { Config } from '#platform/config.ts';
import { inTransaction } from '#platform/db/client.ts';
import { lookOfUser } from '#platform/db/look.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { ApiError, fail } from '#wire/errors.ts';
import { inLook } from '#wire/look.ts';
import type { push } from '#features/push/contract.ts';
import { sendPush, subscriptionOf, vapidKeys } from '#features/push/gateway.ts';
import { t } from '#features/push/notice-messages.ts';
import { limits } from '#features/push/rules.ts';
import * as store from '#features/push/store.ts';

const isOff = ({ pushHosts }: Config) => pushHosts.length === 0;

/** A session without a device, or with this one. */
function stateOf(config: Config, device?: Pick<store.Device, 'endpoint'>) {
  if (isOff(config)) return { public_key: null, is_on: false, is_lost: false };
  const { publicKey: public_key } = vapidKeys(config);
  return { public_key, is_on: Boolean(device?.endpoint), is_lost: device?.endpoint === null };
}

export const handlers: Handlers<typeof push> = {
  device: async ({ db, user, config }) => stateOf(config, await store.deviceOf(db, user.session_id)),

  async saveDevice({ db, user, now, config }, sent) {
    if (isOff(config)) fail('push_off');
    const subscription = subscriptionOf(config, sent) ?? fail('bad_input');
    const { endpoint, p256dh, auth } = subscription;
    const holder = await store.lockEndpoint(db, endpoint);
    // Somebody who only knows the endpoint can't take the device over.
    if (holder && !(holder.p256dh.equals(p256dh) && holder.auth.equals(auth))) fail('device_taken');
    if (holder?.session_id === user.session_id) return stateOf(config, subscription);
    await limit(db, `push-changes:${user.id}:${user.session_id}`, { ...limits.changes, now });
    if (!(await store.saveDevice(db, user.session_id, subscription, now))) fail('not_signed_in');
    return stateOf(config, subscription);
  },

  async removeDevice({ db, user, now, config }) {
    if ((await store.removeDevice(db, user.session_id)) > 0)
      await limit(db, `push-changes:${user.id}:${user.session_id}`, { ...limits.changes, now });
    return stateOf(config);
  },

  async testDevice({ db, user, now, config }) {
    const device = await inTransaction(db, async (transaction) => {
      const found = await store.deviceOf(transaction, user.session_id);
      if (isOff(config) || !found?.endpoint) return fail('no_device');
      await limit(transaction, `push-tests:${user.id}:${user.session_id}`, { ...limits.tests, now });
      return { ...found, endpoint: found.endpoint };
    });
    const id = randomUUID();
    const look = await lookOfUser(db, user.id);
    const { state } = await sendPush(config, device, {
      title: config.productName,
      body: inLook(look, () => t('test')),
      path: '/app/settings/notifications',
      tag: 'test',
      language: look.language,
      test: id,
      ttl: 60,
      urgency: 'high',
    });
    if (state === 'gone') {
      await store.loseDevice(db, device);
      fail('no_device');
    }
    if (state !== 'accepted')
      throw new ApiError('unavailable', { message: "The push service of this browser isn't responding." });
    return { id };
  },
};
