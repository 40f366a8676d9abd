import { linkify } from '#wire/linkify.ts';

/** User-written text with links. `rel` denies opened pages access to this one, and marks the links as unendorsed. */
export const LinkedText = ({ text }: { text: string }) =>
  linkify(text).map((part, index) =>
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
      part.text
    ),
  );
