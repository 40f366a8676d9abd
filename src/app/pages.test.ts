import { expect, test } from 'vitest';
import { world } from '#test/world.ts';

test('the page comes to everybody, whatever they can unpack', async () => {
  await using w = await world();
  for (const path of ['/', '/login', '/app/clubs/rowers']) {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const answer = await fetch(w.origin + path, { headers: { 'accept-encoding': encoding } });
      expect([path, encoding, answer.status]).toEqual([path, encoding, 200]);
      expect(answer.headers.get('content-type')).toContain('text/html');
    }
  }
});
