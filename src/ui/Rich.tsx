import { createElement, Fragment, type ReactNode } from 'react';

/** A text with elements in it, from `t.parts`. */
export const Rich = ({ parts }: { parts: readonly ReactNode[] }) => createElement(Fragment, null, ...parts);
