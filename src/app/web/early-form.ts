let waiting: HTMLFormElement | undefined;

function hold(event: SubmitEvent): void {
  event.preventDefault();
  waiting = event.target as HTMLFormElement;
}

/** Keeps a form that is sent before the app can take it. */
export const holdForm = (): void => document.addEventListener('submit', hold);

/** Sends it now, once. */
export function releaseForm(): void {
  document.removeEventListener('submit', hold);
  const form = waiting;
  waiting = undefined;
  form?.requestSubmit();
}
