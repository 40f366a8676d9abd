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

test('what is drawn in a page, and the scripts it names, are those of its screen', async () => {
  await using w = await world();
  const look = async (path: string) => {
    const page = await (await fetch(w.origin + path)).text();
    const parts = ['HomePage', 'ClubPage', 'EventPage', 'AppLayout', 'LoginPage', 'main'];
    return {
      drawn: /<div id="root"(?: data-drawn="([^"]*)")?>/.exec(page)?.[1],
      named: parts.filter((part) => new RegExp(`rel="modulepreload"[^>]*/assets/${part}-`).test(page)),
    };
  };
  expect(await look('/login')).toEqual({ drawn: '/login', named: [] });
  expect(await look('/app')).toEqual({ drawn: '/app', named: ['HomePage', 'AppLayout', 'main'] });
  expect(await look('/app/clubs/rowers')).toEqual({
    drawn: '/app',
    named: ['ClubPage', 'AppLayout', 'main'],
  });
  expect(await look('/app/events/run')).toEqual({ drawn: '/app', named: ['EventPage', 'AppLayout', 'main'] });
  expect(await look('/privacy-policy')).toEqual({ drawn: undefined, named: ['main'] });
});
