import { createElement, Fragment, type ReactNode } from 'react';

/** A text with elements in it, from `t.parts`. The texts are elements too, because another message may replace them. */
export const Rich = ({ parts }: { parts: readonly ReactNode[] }) =>
  createElement(
    Fragment,
    null,
    ...parts.map((part) => (typeof part === 'string' ? createElement('span', null, part) : part)),
  );

/** Only for screen readers. */
export const hidden = (text: string) => <span className="sr-only">{text}</span>;

/** Emphasises an address or a name in a text. */
export const strong = (text: string) => (
  <strong className="font-semibold wrap-anywhere text-ink">{text}</strong>
);
