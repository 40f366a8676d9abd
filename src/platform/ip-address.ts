import ipaddr from 'ipaddr.js';

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [address: IpAddress, bits: number];

/** The proxies in front of the app: how many there are, or the networks in which they are. 0 is no proxy. */
export type TrustedProxies = number | readonly Network[];

/** Ignores a port, which some proxies append, and returns an IPv4 address for every IPv6 notation of it. */
function parseAddress(address: string): IpAddress | undefined {
  const ip = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address)?.slice(1).find(Boolean) ?? address;
  return isAddress(ip) ? ipaddr.process(ip) : undefined;
}

const isAddress = (text: string) => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

/** Reads an address or a network in CIDR notation. */
export function parseNetwork(text: string): Network | undefined {
  if (isAddress(text)) return ipaddr.parseCIDR(`${text}/${text.includes(':') ? 128 : 32}`);
  return ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : undefined;
}

/**
 * Returns whether the sender of a request at this hop is a trusted proxy, so that the address before it in
 * `X-Forwarded-For` counts. Hop 0 is the sender of the connection. The first sender that is not trusted is the client.
 */
export function trustedBy(proxies: TrustedProxies): (address: string, hop: number) => boolean {
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  return (address) => {
    const ip = parseAddress(address);
    return proxies.some(([network, bits]) => ip?.kind() === network.kind() && ip.match(network, bits));
  };
}

/**
 * The network that rate limits count instead of an address: the /64 of an IPv6 address, because one customer holds 2^64
 * addresses.
 */
export function networkOf(address: string): string {
  const ip = parseAddress(address);
  if (!ip) return address;
  return ip instanceof ipaddr.IPv6
    ? ip.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')
    : ip.toString();
}
