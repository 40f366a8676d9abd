import { z } from 'zod';

/**
 * A string whose length is checked before any other work on it. A request may contain far longer texts than the valid
 * ones, so every algorithm on text must also take linear time (`test/input-limits.test.ts`).
 */
export const bounded = (max: number, longest = max) =>
  z.string().max(longest, { abort: true, error: `Too big: expected string to have <=${max} characters` });

/** A text in one of the formats of zod, such as `z.iso.date()`. */
export const formatted = (max: number, format: z.core.$ZodCheck<string>) => bounded(max).check(format);
