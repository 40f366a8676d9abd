/**
 * Ends the subscription of this browser to notifications, also without a network, so that no later user of the browser
 * gets those of an earlier one. Waits for the browser for at most three seconds.
 */
export const endSubscription = (): Promise<unknown> =>
  Promise.race([
    navigator.serviceWorker
      ?.getRegistration()
      .then((registration) => registration?.pushManager?.getSubscription())
      .then((subscription) => subscription?.unsubscribe()),
    new Promise((resolve) => setTimeout(resolve, 3000)),
  ]).catch(() => {});
