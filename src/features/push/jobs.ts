import type { Config } from '#platform/config.ts';
import type { Clock, Db } from '#platform/db/client.ts';
import { toLook } from '#platform/db/look.ts';
import type { Tasks } from '#platform/jobs/queue.ts';
import { inLook } from '#wire/look.ts';
import { sendPush } from '#features/push/gateway.ts';
import { t } from '#features/push/notice-messages.ts';
import { warningTime } from '#features/push/rules.ts';
import { loseDevice, takeEndingDevices, unwarnDevices, type EndingDevice } from '#features/push/store.ts';

/** Number of devices that are warned at a time. */
const batch = 50;

export const pushTasks = (db: Db, config: Config, clock: Clock): Tasks => ({
  warn_devices: () => warnDevices(db, config, clock),
});

/**
 * Tells devices that notifications end, because their session ends within two days. Each is noted as warned first, so
 * a killed process sends no warning twice.
 */
async function warnDevices(db: Db, config: Config, clock: Clock): Promise<void> {
  if (config.pushHosts.length === 0) return;
  const retries: string[] = [];
  let devices: EndingDevice[];
  do {
    devices = await takeEndingDevices(db, await clock(db), batch);
    await Promise.all(
      devices.map(async (device) => {
        const { state } = await warn(config, device);
        if (state === 'gone') await loseDevice(db, device);
        if (state === 'retry') retries.push(device.session_id);
      }),
    );
  } while (devices.length === batch);
  if (retries.length > 0) await unwarnDevices(db, retries);
}

function warn(config: Config, device: EndingDevice) {
  const { productName: product } = config;
  const look = toLook(device.look);
  return sendPush(config, device, {
    title: product,
    body: inLook(look, () => (device.ends_for_good ? t('logInToKeep') : t('openToKeep', { product }))),
    // The login page offers to log out and in again.
    path: device.ends_for_good ? '/login' : '/app',
    tag: 'session',
    language: look.language,
    ttl: warningTime,
    urgency: 'normal',
  });
}
