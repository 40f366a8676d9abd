import { serviceWorkerUrl } from '#web/first/trusted-types.ts';

/** The fields that the user has changed. */
const changed = new Set<Node>();

/** Notices which fields the user changes, so that no update discards the input. */
export const watchInput = (): void =>
  document.addEventListener('input', ({ target }) => target instanceof Node && changed.add(target), true);

/** Whether a reload would discard input, an open dialog or a message. */
const isInUse = () =>
  [...changed].some((field) => field.isConnected) ||
  document.querySelector('[data-modal], [data-toasts] [data-tone]') !== null;

let isOutdated = false;

/** Reloads the page, once it is not in use: a page that is in use reloads after a navigation. */
export function reloadWhenUnused(): void {
  isOutdated = true;
  reloadIfOutdated();
}

/** Reloads the page if it is outdated and the user is not in the middle of something. */
export function reloadIfOutdated(): void {
  if (isOutdated && !isInUse()) location.reload();
}

/**
 * Registers the service worker, so that the app opens offline and can be installed. The page reloads when a new version
 * takes control, but not for the first service worker: the page is then already current. A page that is in use reloads
 * after a navigation.
 */
export function install(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const { serviceWorker } = navigator;
  let isControlled = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    isOutdated = isControlled;
    reloadIfOutdated();
    isControlled = true;
  });
  // A page that stays open for days checks for a new version when it becomes visible again.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible')
      serviceWorker.ready.then((registration) => registration.update()).catch(() => {});
  });
  serviceWorker
    .register(serviceWorkerUrl(), { updateViaCache: 'none' })
    .catch((failure: unknown) => console.warn('The app will not open without a network.', failure));
}
