/** Matches if the window is wide enough for a table of five columns. */
export const wideWindow = (): MediaQueryList => matchMedia('(width >= 64rem)');
