/** Characters that a domain name may have besides ASCII letters, digits, hyphens and dots. */
const international = /[^\0-\x7F]|(?:^|\.)xn--/i;
const domainName = /^[\p{L}\p{M}\p{N}.\-\u3002\uFF0E\uFF61]+$/u;

/** The domain in ASCII, as mail servers and the database need it. An invalid internationalised domain becomes empty. */
export function asciiDomain(domain: string): string {
  if (!international.test(domain)) return domain;
  if (!domainName.test(domain)) return '';
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return '';
  }
}

/** The one form of an address: with an ASCII domain, and in lower case, because addresses are compared that way. */
export function canonicalAddress(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return (address.slice(0, at) + asciiDomain(address.slice(at))).replaceAll(/[A-Z]/g, (letter) =>
    letter.toLowerCase(),
  );
}

/** The unquoted local parts of RFC 5321, and a domain in ASCII whose last label is a name. */
const pattern =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9][a-z0-9-]*\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)$/;

export const isCanonicalAddress = (address: string): boolean => pattern.test(address);
