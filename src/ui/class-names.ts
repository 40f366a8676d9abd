/**
 * Joins class names. No two of them may set the same property, as the order of the style sheet would decide between
 * them: one from outside that means to replace a part's own ends with `!`.
 */
export const cn = (...classes: (string | false | null | undefined)[]): string =>
  classes.filter(Boolean).join(' ');
