/**
 * Joins class names. No two of them may set the same property, because the order in the style sheet would decide. A class
 * passed by a caller to override one of the component ends with `!`.
 */
export const cn = (...classes: (string | false | null | undefined)[]): string =>
  classes.filter(Boolean).join(' ');
