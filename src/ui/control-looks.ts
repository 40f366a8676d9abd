/** The shared styles of all text controls. */
export const controlLooks =
  'min-h-11 w-full min-w-0 rounded-md border border-control bg-surface px-3.5 py-2 text-base text-ink transition-colors duration-150 hover:border-muted focus-visible:border-accent focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-accent disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted aria-invalid:border-danger aria-invalid:focus-visible:outline-danger';
