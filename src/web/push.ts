import { queryOptions } from '@tanstack/react-query';
import { api } from './api.ts';
import { endSubscription } from './first/subscription.ts';
import { queryClient } from './queries.ts';
import { settings } from './settings.ts';

/**
 * What this browser can do: `ready` also if it is switched on already, `blocked` by the user, `none` if it has no
 * notifications, and `home_screen` if only an app on the home screen has them.
 */
export type PushSupport = 'ready' | 'blocked' | 'none' | 'home_screen';

export function pushSupport(): PushSupport {
  if (isApple() && !isOnHomeScreen()) return 'home_screen';
  if (!('Notification' in window && 'PushManager' in window && 'serviceWorker' in navigator)) return 'none';
  return Notification.permission === 'denied' ? 'blocked' : 'ready';
}

/** iPhones and iPads. An iPad may call itself a Mac, but a Mac has no touch screen. */
const isApple = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

const isOnHomeScreen = () =>
  ('standalone' in navigator && navigator.standalone === true) ||
  matchMedia('(display-mode: standalone)').matches;

export const pushQueries = {
  /** Whether notifications are on, as the server and the browser say. */
  device: () =>
    queryOptions({
      queryKey: ['pushDevice'],
      queryFn: async () => {
        const [device, subscription] = await Promise.all([api.push.device({}), ownSubscription()]);
        return { ...device, is_on: device.is_on && subscription !== undefined };
      },
    }),
};

async function ownSubscription(): Promise<PushSubscription | undefined> {
  if (pushSupport() !== 'ready' || Notification.permission !== 'granted') return undefined;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? undefined;
}

const refresh = () => queryClient.invalidateQueries(pushQueries.device());

/**
 * Asks the browser for permission, which only a press may do, and subscribes. Returns false if the user has not
 * permitted it.
 */
export async function switchOn(publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  await subscribe(publicKey);
  return true;
}

/** Subscribes anew, because a subscription that exists may have another key or belong to another session. */
async function subscribe(publicKey: string): Promise<void> {
  if (!(await navigator.serviceWorker.getRegistration())) throw new Error('There is no service worker.');
  await endSubscription();
  const registration = await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytesOf(publicKey),
  });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  try {
    await api.push.saveDevice({ endpoint, p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' });
  } catch (failure) {
    await endSubscription();
    throw failure;
  } finally {
    await refresh();
  }
}

/** Some browsers take no base64url. */
const bytesOf = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );

/** Ends the subscription of the browser first, so that nothing arrives even if the server is not reachable. */
export async function switchOff(): Promise<void> {
  await endSubscription();
  await api.push.removeDevice({}).finally(refresh);
}

/**
 * Subscribes again, without asking, if the push service has ended the subscription of this session and the browser
 * still permits notifications.
 */
export async function renewLostDevice(): Promise<void> {
  if (!settings.hasPush || pushSupport() !== 'ready' || Notification.permission !== 'granted') return;
  const { public_key, is_lost } = await api.push.device({});
  if (public_key && is_lost) await subscribe(public_key);
}
