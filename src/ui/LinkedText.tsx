import { linkify } from './linkify.ts';

/** Text that people wrote. Its addresses are links, which tell other sites and search engines nothing about this one. */
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
