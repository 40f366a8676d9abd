import type { ReactElement } from 'react';

/**
 * Children that contain no bare text, for places beside parts that appear, disappear or change: React fails there if a
 * translator has wrapped a text (`test/bare-text.ts`).
 */
export type Elements = ReactElement | readonly Elements[] | boolean | null | undefined;
