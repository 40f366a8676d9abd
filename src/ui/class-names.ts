/**
 * Joins class names. No two of them may set the same property, because the order in the style sheet would decide which
 * one applies. If a caller passes a class that overrides one of the component's classes, that class ends with `!`.
 */
export const cn = (...classes: (string | false | null | undefined)[]): string =>
  classes.filter(Boolean).join(' ');
