import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { networkOf, trustedBy } from '#platform/ip-address.ts';

const trusts = (setting: string) =>
  trustedBy(readConfig({ TRUST_PROXY: setting, SECRET_KEY: 'x'.repeat(32) }).trustedProxies);

describe('TRUST_PROXY', () => {
  test.each([
    ['off', 0],
    ['on', 1],
    ['1', 1],
    ['3', 3],
  ])('%s trusts the senders of %i hops, whatever their address [OPER-14]', (setting, hops) => {
    for (let hop = 0; hop < 5; hop++)
      for (const address of ['192.0.2.1', '::1', 'unknown', ''])
        expect(trusts(setting)(address, hop)).toBe(hop < hops);
  });

  const setting = '10.0.0.0/8, 192.0.2.7,2001:db8::/32,::1';
  test.each([
    '10.0.0.0',
    '10.255.255.255',
    '10.1.2.3:4711',
    '::ffff:10.1.2.3',
    '[::ffff:a01:203]:80',
    '192.0.2.7',
    '2001:db8:ffff::1',
    '[2001:DB8::1]:443',
    '::1',
  ])('networks trust %s inside of them, in every notation [OPER-14]', (address) => {
    for (const hop of [0, 1, 7]) expect(trusts(setting)(address, hop)).toBe(true);
  });

  test.each([
    '11.0.0.0',
    '9.255.255.255',
    '192.0.2.6',
    '2001:db9::1',
    '::2',
    '::ffff:11.0.0.1',
    '10.1',
    '10.0.0.1 ',
    '10.0.0.1, 10.0.0.2',
    'proxy',
    '',
    '127.0.0.1',
  ])('networks do not trust %j outside of them, or no address at all [OPER-14]', (address) =>
    expect(trusts(setting)(address, 0)).toBe(false),
  );
});

test('network: any text is accepted, and an address of a /64 counts as its network', () => {
  fc.assert(fc.property(fc.string(), (text) => typeof networkOf(text) === 'string'));
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const network = networkOf(address);
      return (
        network === networkOf(`[${address}]:443`) && /^([\da-f]{1,4}(:|$)){4}$|^\d+(\.\d+){3}$/.test(network)
      );
    }),
  );
});
