/** An address with a name, as the mail library takes it: it quotes and encodes the name. */
export interface Mailbox {
  name: string;
  address: string;
}

/** No quotes, brackets or separators: such an address is one address in every header and command. */
export const addressPattern = /^[^\s<>()[\]\\,;:"@\p{Cc}]+@[^\s<>()[\]\\,;:"@\p{Cc}]+$/u;

/** Reads `address`, `Name <address>` or `"Name" <address>`. The name is everything before the last bracket, whatever it contains. */
export function mailboxIn(text: string): Mailbox | undefined {
  const [, name = '', address = text] = /^(.*)<([^<>]*)>$/su.exec(text.trim()) ?? [];
  const mailbox = { name: unquoted(name.trim()), address: address.trim() };
  return addressPattern.test(mailbox.address) ? mailbox : undefined;
}

const unquoted = (name: string) =>
  /^"(?:[^"\\]|\\.)*"$/su.test(name) ? name.slice(1, -1).replaceAll(/\\(.)/gsu, '$1') : name;

/** The address for people to read. */
export const mailboxText = ({ name, address }: Mailbox) => (name ? `${name} <${address}>` : address);
