import sharp from 'sharp';
import { expect, test } from 'vitest';
import { pagePaths } from '#app/page-scripts.ts';
import { isolatedWorld, world, type World } from '#test/world.ts';

test('pages: served for every accepted content encoding', async () => {
  await using w = await world();
  for (const path of ['/', '/login', '/app/clubs/rowers']) {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const response = await fetch(w.origin + path, { headers: { 'accept-encoding': encoding } });
      expect([path, encoding, response.status]).toEqual([path, encoding, 200]);
      expect(response.headers.get('content-type')).toContain('text/html');
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
      /<div id="root"(?: data-rendered="([^"]*)" data-scripts="([^"]*)")?>/.exec(page) ?? [];
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
        const response = await fetch(w.origin + path, { method, headers: { 'accept-encoding': encoding } });
        const { date: _, connection: _c, 'keep-alive': _k, ...head } = Object.fromEntries(response.headers);
        return { status: response.status, head, length: (await response.arrayBuffer()).byteLength };
      };
      const [get, head] = [await look('GET'), await look('HEAD')];
      expect(get.length).toBeGreaterThan(0);
      expect({ path, ...head }).toEqual({ path, ...get, length: 0 });
    }
  }
});

test('pages: each has its own route, which the log contains', async () => {
  const lines: string[] = [];
  await using w = await isolatedWorld({ LOG_LEVEL: 'info' }, { write: (line) => void lines.push(line) });
  for (const path of pagePaths) {
    const response = await fetch(w.origin + path.replace('*', 'profile'));
    expect([path, response.status, await response.text()]).toEqual([
      path,
      200,
      expect.stringContaining('<html'),
    ]);
  }
  const logged = () => lines.map((line) => (JSON.parse(line) as { path?: string }).path).filter(Boolean);
  await expect.poll(logged).toEqual(pagePaths);
});

test('files: only files of the build are served, with their content type and caching', async () => {
  await using w = await world();
  const look = async (path: string) => {
    const response = await fetch(w.origin + path);
    await response.arrayBuffer();
    const { status, headers } = response;
    return [status, headers.get('content-type'), headers.get('cache-control')];
  };
  const page = await (await fetch(`${w.origin}/privacy-policy`)).text();
  const script = /src="(\/assets\/[^"]+)"/.exec(page)?.[1] ?? '';
  const forever = 'public, max-age=31536000, immutable';
  expect(await look(script)).toEqual([200, expect.stringContaining('javascript'), forever]);
  expect(await look('/sw.js')).toEqual([200, expect.stringContaining('javascript'), 'no-cache']);
  expect(await look('/icon.svg')).toEqual([200, 'image/svg+xml', 'no-cache']);
  expect(await look('/icons/icon-192.png')).toEqual([200, 'image/png', 'no-cache']);
  for (const path of [
    '/index.html',
    '/answer.html',
    '/assets/none.js',
    '/assets/%2e%2e/index.html',
    '/icons/..%2findex.html',
    '/.vite/manifest.json',
    '/assets/%2e%2e/.vite/manifest.json',
    '/sw.js.map',
    '/app/none.png',
  ])
    expect([path, (await look(path))[0]]).toEqual([
      path,
      expect.toSatisfy((status) => status >= 400 && status < 500),
    ]);
});

test('pages: an unknown path gets the page of the app with the status 404 [WEB-01]', async () => {
  await using w = await world();
  const look = async (path: string) => {
    const response = await fetch(w.origin + path);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toContain('<div id="root"');
    return [path, response.status];
  };
  for (const path of [
    '/login',
    '/LOGIN/',
    '/app/',
    '/app/profile',
    '/app/Clubs/a/updates/b/edit',
    '/app/club/a/b',
  ])
    expect(await look(path)).toEqual([path, 200]);
  for (const path of [
    '/nowhere',
    '/no/such/page',
    '/logins',
    '/app/nothing',
    '/app/clubs/a/b',
    '/app/club/a',
  ])
    expect(await look(path)).toEqual([path, 404]);
});

test('files: robots.txt keeps crawlers away from the API only, and favicon.ico is an icon [WEB-01]', async () => {
  await using w = await world();
  const robots = await fetch(`${w.origin}/robots.txt`);
  expect([robots.status, robots.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const rules = (await robots.text()).split('\n').filter((line) => line && !line.startsWith('#'));
  expect(rules).toEqual(['User-agent: *', 'Disallow: /api/']);
  const favicon = await fetch(`${w.origin}/favicon.ico`);
  const icon = Buffer.from(await favicon.arrayBuffer());
  expect([favicon.status, icon.readUInt32LE(0)]).toEqual([200, 0x1_00_00]);
  const { format, width, height } = await sharp(icon.subarray(icon.readUInt32LE(18))).metadata();
  expect([format, width, height]).toEqual(['png', 32, 32]);
});

test('licenses.txt: has the licences of packages in the browser and on the server, and must be revalidated [OPER-18]', async () => {
  await using w = await world();
  const response = await fetch(`${w.origin}/licenses.txt`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('etag')).toBeTruthy();
  const licenses = (await response.text()).split(`\n\n${'='.repeat(80)}\n\n`);
  for (const name of ['react', 'lucide-react', 'tailwindcss', 'fastify', 'pg']) {
    const found = licenses.filter((text) => text.startsWith(`${name} `));
    expect([name, found.length]).toEqual([name, 1]);
    expect(found[0]).toMatch(/^\S+ \d+\.\d+\.\d+ \((MIT|ISC)\)\n\n[^]*copyright[^]*(warranty|as is)/i);
  }
  expect(licenses.filter((text) => /^(vitest|oxlint) /.test(text))).toEqual([]);
});

test('security.txt: names SUPPORT_EMAIL, and expires within a year; without the setting it does not exist [WEB-01]', async () => {
  await using w = await world();
  expect((await fetch(`${w.origin}/.well-known/security.txt`)).status).toBe(404);
  await using mine = await isolatedWorld({ SUPPORT_EMAIL: 'help@example.org' });
  const response = await fetch(`${mine.origin}/.well-known/security.txt`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const lines = (await response.text()).trim().split('\n');
  const fields = new Map(lines.map((line) => line.split(': ') as [string, string]));
  expect(fields.get('Contact')).toBe('mailto:help@example.org');
  expect(fields.get('Canonical')).toBe('http://muster.test/.well-known/security.txt');
  const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(150);
  expect(days).toBeLessThan(365);
});

test('change-password: leads password managers to the page of the account [WEB-01]', async () => {
  await using w = await world();
  const response = await fetch(`${w.origin}/.well-known/change-password`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, '/app/profile']);
});

test('pages: HEAD returns 404 for a path whose GET route is not a page', async () => {
  await using w = await world();
  expect((await fetch(`${w.origin}/oauth/callback?state=x`, { method: 'HEAD' })).status).toBe(404);
});

test('pages: tell the browser the version, for the footer of My Account [OPER-16]', async () => {
  await using w = await world();
  const { version } = (await (await fetch(`${w.origin}/healthz`)).json()) as { version: string };
  const page = await (await fetch(`${w.origin}/app/profile`)).text();
  const content = /<meta name="muster-settings" content="([^"]+)"/.exec(page)?.[1] ?? '';
  expect(JSON.parse(content.replaceAll('&quot;', '"'))).toMatchObject({ version });
});

/** The languages and the content of a page, for a browser with these preferred languages. */
async function languagesOf(w: World, path: string, preferred?: string, encoding = 'identity') {
  const headers = { 'accept-encoding': encoding, ...(preferred && { 'accept-language': preferred }) };
  const response = await fetch(w.origin + path, { headers });
  const page = await response.text();
  const [, lang] = /<html lang="([^"]*)">/.exec(page) ?? [];
  const vary = (response.headers.get('vary') ?? '').split(/, */);
  return { page, lang, header: response.headers.get('content-language'), vary };
}

test('pages: come in the language of ?lang=, otherwise of Accept-Language, otherwise in English [LANG-06]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  const paths = [
    '/',
    '/login',
    '/privacy-policy',
    `/app/club/${club.slug}/${invite_link}`,
    '/confirm',
    '/revert-email',
    '/unsubscribe',
    '/app',
    '/answer/unknown',
    '/answer/offline',
    '/no/such/page',
  ];
  const cases: [query: string, preferred: string | undefined, language: string][] = [
    ['', undefined, 'en'],
    ['', 'en-US,en;q=0.9,de;q=0.8', 'en'],
    ['', 'de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['', 'xx, en;q=0.1, de;q=0.2', 'de'],
    ['', 'xx', 'en'],
    ['?lang=de', 'en', 'de'],
    ['?lang=en', 'de', 'en'],
    ['?lang=xx', 'de', 'de'],
    ['?lang=constructor', 'de', 'de'],
    ['?lang=en&lang=en', 'de', 'de'],
    ['?lang=', undefined, 'en'],
  ];
  for (const path of paths)
    for (const [query, preferred, language] of cases) {
      const { lang, header, vary } = await languagesOf(w, path + query, preferred);
      expect([path, query, lang, header]).toEqual([path, query, language, language]);
      expect(vary).toContain('Accept-Language');
    }
});

test('pages: the landing page and the login are rendered in the language of the page [LANG-06]', async () => {
  await using w = await world();
  for (const encoding of ['identity', 'gzip'])
    for (const [preferred, landing, login, description] of [
      ['en', 'Organise your Club', 'Sign up or log in', 'Organise your club: '],
      ['de', 'Organisiere deinen Club', 'Registrieren oder einloggen', ''],
    ] as const) {
      const home = await languagesOf(w, '/', preferred, encoding);
      expect(home.page).toContain(`>${landing}</h1>`);
      expect(home.page).toContain(`<meta name="description" content="${description}`);
      expect(home.vary).toEqual(['Accept-Encoding', 'Accept-Language']);
      expect((await languagesOf(w, '/login', preferred, encoding)).page).toContain(`>${login}</h1>`);
    }
});

test('pages: the frame of the app has no words except the name of the product [LANG-06]', async () => {
  await using w = await world();
  for (const preferred of ['en', 'de']) {
    const { page } = await languagesOf(w, '/app/profile', preferred);
    const [, frame = ''] = /<div id="root"[^>]*>(.*)<\/div>\s*<noscript>/s.exec(page) ?? [];
    expect(frame.replaceAll(/<[^>]*>/g, '')).toBe('Muster');
    expect(frame).not.toMatch(/aria-label=|title=/);
  }
});

test('landing page: names its versions, each of which has an address of its own [LANG-06]', async () => {
  await using w = await world();
  const versions = [
    ['en', 'http://muster.test/?lang=en'],
    ['de', 'http://muster.test/?lang=de'],
    ['x-default', 'http://muster.test/'],
  ];
  for (const [path, preferred] of [
    ['/', 'de'],
    ['/', 'en'],
    ['/?lang=de', 'en'],
    ['/?lang=en', 'de'],
  ] as const) {
    const { page } = await languagesOf(w, path, preferred);
    const links = page.matchAll(/<link rel="alternate" hreflang="([^"]*)" href="([^"]*)" \/>/g);
    expect(Array.from(links, ([, ...link]) => link)).toEqual(versions);
    expect(page).toContain(`<link rel="canonical" href="http://muster.test${path}" />`);
    expect(page).not.toContain('noindex');
  }
  expect((await languagesOf(w, '/login?lang=de')).page).not.toContain('hreflang');
});

test('manifest: is in the language that the browser prefers [LANG-06]', async () => {
  await using w = await world();
  const look = async (preferred: string) => {
    const response = await fetch(`${w.origin}/manifest.webmanifest`, {
      headers: { 'accept-language': preferred },
    });
    const { lang, id } = (await response.json()) as { lang: string; id: string };
    const { headers } = response;
    return { lang, id, header: headers.get('content-language'), vary: headers.get('vary') };
  };
  for (const lang of ['en', 'de'])
    expect(await look(lang)).toEqual({ lang, id: '/app', header: lang, vary: 'Accept-Language' });
});
