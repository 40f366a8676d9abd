import { z } from 'zod';

// PostgreSQL refuses NUL in text, and half a surrogate pair is no character at all.
const storable = (value: string) => !value.includes('\0') && value.isWellFormed();

/** Free text that can be stored: trimmed, at most `longest` characters. */
export const text = (longest: number) =>
  z.string().trim().max(longest).refine(storable, 'has a character that cannot be stored');

/** The id or the slug of something, as it stands in a path. */
export const Ref = text(200).min(1);

/** An address is compared by its ASCII lower case; anything beyond ASCII is refused by its pattern. */
export const Email = z.email().max(254).toLowerCase();

export const Id = z.uuid();

/** Where a list goes on: one that an earlier answer has named. */
export const Cursor = text(2000).min(1);
