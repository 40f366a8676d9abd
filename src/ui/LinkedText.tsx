import { useState } from 'react';
import { linkify } from '#wire/linkify.ts';

/** User-written text with links. `rel` denies opened pages access to this one, and marks the links as unendorsed. */
export function LinkedText({ text }: { text: string }) {
  const parts = linkify(text);
  // Stays the same, because React fails to replace a translated text by elements.
  const [isPlain] = useState(parts.every(({ href }) => !href));
  if (isPlain) return text;
  return parts.map((part, index) =>
    part.href ? (
      <a
        // oxlint-disable-next-line react/no-array-index-key -- parts have no identity
        key={index}
        href={part.href}
        target="_blank"
        rel="noopener nofollow ugc"
        className="text-accent underline underline-offset-4"
      >
        {part.text}
      </a>
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- parts have no identity
      <span key={index}>{part.text}</span>
    ),
  );
}
