import { serviceWorkerUrl } from '#web/trusted-types.ts';

/**
 * Registers the service worker, so that the app opens without a network and can be installed. When another version
 * takes over, here or in another tab, the page is loaded anew; the first one of all finds a page that is new already.
 */
export function install(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const { serviceWorker } = navigator;
  let isControlled = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    if (isControlled) location.reload();
    isControlled = true;
  });
  // A page that stays open for days hears of a new version when it is looked at again.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible')
      serviceWorker.ready.then((registration) => registration.update()).catch(() => {});
  });
  serviceWorker
    .register(serviceWorkerUrl(), { updateViaCache: 'none' })
    .catch((failure: unknown) => console.warn('The app will not open without a network.', failure));
}
