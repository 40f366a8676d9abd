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
    const scriptsIn = (text = '') => parts.filter((part) => text.includes(`/assets/${part}-`));
    const [, screen, later] =
      /<div id="root"(?: data-drawn="([^"]*)" data-scripts="([^"]*)")?>/.exec(page) ?? [];
    const links = page.match(/rel="modulepreload"[^>]*/g) ?? [];
    return { drawn: screen, named: scriptsIn(links.join('\n')), later: scriptsIn(later) };
  };
  expect(await look('/login')).toEqual({ drawn: '/login', named: [], later: [] });
  for (const [path, part] of [
    ['/app', 'HomePage'],
    ['/app/clubs/rowers', 'ClubPage'],
    ['/app/events/run', 'EventPage'],
  ] as const) {
    expect(await look(path)).toEqual({ drawn: '/app', named: [], later: [part, 'AppLayout', 'main'] });
  }
  expect(await look('/app/profile')).toEqual({ drawn: '/app', named: ['AppLayout', 'main'], later: [] });
  expect(await look('/privacy-policy')).toEqual({ drawn: undefined, named: ['main'], later: [] });
});
