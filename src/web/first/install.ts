import { serviceWorkerUrl } from '#web/first/trusted-types.ts';

/**
 * Registers the service worker, so that the app opens offline and can be installed. The page reloads when a new version
 * takes control, but not for the first service worker: the page is then already current.
 */
export function install(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const { serviceWorker } = navigator;
  let isControlled = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    if (isControlled) location.reload();
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
