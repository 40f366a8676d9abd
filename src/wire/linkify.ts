/** A piece of text, and the address it links to, if any. */
export interface TextPart {
  text: string;
  href?: string;
}

/** An http, https or mailto address, or an email address, at the start of a word. */
const address =
  /(^|[\s([{<"'„“‚‘«–—])(https?:\/\/[^\s<>"„“”«»]+|(?:mailto:)?[\w.+-]+@[a-z\d-]+(?:\.[a-z\d-]+)+)/giu;

/** Characters that end a sentence or a quotation rather than an address. */
const trailing = new Set('.,;:!?\'"’”…])}');

/** Cuts trailing punctuation, but keeps a bracket that was opened inside the address. */
function trimmed(found: string): string {
  // A regular expression such as /[.,]+$/ would start again at each character: quadratic for 'http://' with many dots.
  let end = found.length;
  while (trailing.has(found.charAt(end - 1))) end--;
  const cut = found.slice(0, end);
  return cut.includes('(') && found[cut.length] === ')' ? `${cut})` : cut;
}

function hrefOf(found: string): string | undefined {
  if (!/^https?:/i.test(found)) return /^mailto:/i.test(found) ? found : `mailto:${found}`;
  return /^https?:\/\/[^/?#:@]/i.test(found) ? found : undefined;
}

/** Splits text into plain parts and links. Joining the parts gives the text. */
export function linkify(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(address)) {
    const [, before = '', found = ''] = match;
    const link = trimmed(found);
    const href = hrefOf(link);
    if (!href) continue;
    const start = match.index + before.length;
    if (start > end) parts.push({ text: text.slice(end, start) });
    parts.push({ text: link, href });
    end = start + link.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}
