import { expect, test } from 'vitest';
import { world } from '#test/world.ts';

test('pages: served for every accepted content encoding', async () => {
  await using w = await world();
  for (const path of ['/', '/login', '/app/clubs/rowers']) {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const answer = await fetch(w.origin + path, { headers: { 'accept-encoding': encoding } });
      expect([path, encoding, answer.status]).toEqual([path, encoding, 200]);
      expect(answer.headers.get('content-type')).toContain('text/html');
    }
  }
});

test('pages: contain the prerendered markup and scripts of their screen', async () => {
  await using w = await world();
  const look = async (path: string) => {
    const page = await (await fetch(w.origin + path)).text();
    const parts = ['HomePage', 'ClubPage', 'EventPage', 'AppLayout', 'LoginPage', 'main'];
    const scriptsIn = (text = '') => parts.filter((part) => text.includes(`/assets/${part}-`));
    const [, screen, later] =
      /<div id="root"(?: data-drawn="([^"]*)" data-scripts="([^"]*)")?>/.exec(page) ?? [];
    const links = page.match(/rel="modulepreload"[^>]*/g) ?? [];
    return { rendered: screen, named: scriptsIn(links.join('\n')), later: scriptsIn(later) };
  };
  expect(await look('/login')).toEqual({ rendered: '/login', named: [], later: [] });
  for (const [path, part] of [
    ['/app', 'HomePage'],
    ['/app/clubs/rowers', 'ClubPage'],
    ['/app/events/run', 'EventPage'],
  ] as const) {
    expect(await look(path)).toEqual({ rendered: '/app', named: [], later: [part, 'AppLayout', 'main'] });
  }
  expect(await look('/app/profile')).toEqual({ rendered: '/app', named: ['AppLayout', 'main'], later: [] });
  expect(await look('/privacy-policy')).toEqual({ rendered: undefined, named: ['main'], later: [] });
});

test('pages: HEAD returns the status and headers of GET without a body [UX-40]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const { slug } = await w.event(await w.club([ada]), ada);
  const paths =
    `/ /login /privacy-policy /app /app/clubs/none /app/events/${slug} /app/club/any/thing /no/such/page
    /answer/any-token /manifest.webmanifest /icon.svg /no/such/file.png /healthz /readyz /api/v1/none`.split(
      /\s+/,
    );
  for (const path of paths) {
    for (const encoding of ['identity', 'gzip']) {
      const look = async (method: 'GET' | 'HEAD') => {
        const answer = await fetch(w.origin + path, { method, headers: { 'accept-encoding': encoding } });
        const { date: _, connection: _c, 'keep-alive': _k, ...head } = Object.fromEntries(answer.headers);
        return { status: answer.status, head, length: (await answer.arrayBuffer()).byteLength };
      };
      const [get, head] = [await look('GET'), await look('HEAD')];
      expect(get.length).toBeGreaterThan(0);
      expect({ path, ...head }).toEqual({ path, ...get, length: 0 });
    }
  }
});

test('pages: HEAD returns 404 for a path whose GET route is not a page', async () => {
  await using w = await world();
  expect((await fetch(`${w.origin}/oauth/callback?state=x`, { method: 'HEAD' })).status).toBe(404);
});
