/** An address with a name, in the form that the mail library expects. The library quotes and encodes the name. */
export interface Mailbox {
  name: string;
  address: string;
}

/** Allows no quotes, brackets or separators, so that a match is a single address in every header and command. */
export const addressPattern = /^[^\s<>()[\]\\,;:"@\p{Cc}]+@[^\s<>()[\]\\,;:"@\p{Cc}]+$/u;

/**
 * Reads `address`, `Name <address>` or `"Name" <address>`. The name is everything before the last `<`, whatever it
 * contains.
 */
export function mailboxIn(text: string): Mailbox | undefined {
  const [, name = '', address = text] = /^(.*)<([^<>]*)>$/su.exec(text.trim()) ?? [];
  const mailbox = { name: unquoted(name.trim()), address: address.trim() };
  return addressPattern.test(mailbox.address) ? mailbox : undefined;
}

const unquoted = (name: string) =>
  /^"(?:[^"\\]|\\.)*"$/su.test(name) ? name.slice(1, -1).replaceAll(/\\(.)/gsu, '$1') : name;

/** The mailbox in a form for people to read. */
export const mailboxText = ({ name, address }: Mailbox) => (name ? `${name} <${address}>` : address);
