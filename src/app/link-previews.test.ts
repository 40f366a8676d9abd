import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { run, sql } from '#platform/db/client.ts';
import { ofEvent, tagsOf } from '#app/link-previews.ts';
import { clubColours } from '#wire/club-colours.ts';
import { isolatedWorld, world, type World } from '#test/world.ts';

const page = async (w: World, path: string) => (await fetch(w.origin + path)).text();

const tag = (html: string, key: string) =>
  new RegExp(`<meta (?:name|property)="${key}" content="([^"]*)"`).exec(html)?.[1];

test('page head: a time that is not chosen yet is not shown', () => {
  const event = {
    slug: 'run',
    name: 'Run',
    description: '',
    start_time: '2026-06-21T17:30:00.000Z',
    time_zone: 'Europe/Berlin',
    deleted_at: null,
    polling: true,
    owner_club_id: 'id-of-club',
    club_name: 'Rowers',
  };
  expect(ofEvent(event)).toMatchObject({ description: 'No time chosen yet' });
  expect(ofEvent(event).event).toEqual({ title: 'Run' });
  expect(ofEvent({ ...event, polling: false }).description).toContain('Sunday 21 June 2026');
});

test('page head: user-written text is escaped [T23]', async () => {
  await using w = await world();
  const preview = ofEvent({
    slug: 'run',
    name: `"><script>alert('1')</script>`,
    description: '5 > 4 & "so"',
    start_time: '2026-06-21T17:30:00.000Z',
    time_zone: 'Europe/Berlin',
    deleted_at: null,
    polling: false,
    owner_club_id: 'id-of-club',
    club_name: 'Rowers',
  });
  const html = tagsOf(preview, w.config);
  expect(html).not.toContain('<script');
  expect(tag(html, 'og:title')).toBe('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;');
  expect(tag(html, 'og:description')).toBe('Sunday 21 June 2026, 7:30 pm · 5 &gt; 4 &amp; &quot;so&quot;');
});

test('event link: shows name, date and description, but no attendee [UX-22]', async () => {
  await using w = await world();
  const ada = await w.person('Adelheid', 'Zuckermann');
  const club = await w.club([ada]);
  const event = await w.event(club, ada, {
    name: 'Night row',
    description: 'Bring a lamp',
    details: 'Code 77',
    time_zone: 'Europe/Berlin',
  });
  const html = await page(w, `/app/events/${event.slug}`);
  expect(html).toContain('<title>Muster - Night row</title>');
  expect(tag(html, 'og:title')).toBe('Night row');
  expect(tag(html, 'description')).toMatch(/ 20\d\d, \d+:\d\d [ap]m · Bring a lamp$/);
  expect(JSON.parse((tag(html, 'event') ?? '').replaceAll('&quot;', '"'))).toEqual({
    title: 'Night row',
    start: expect.stringMatching(/^20.*Z$/),
    zone: 'Europe/Berlin',
  });
  expect(tag(html, 'twitter:card')).toBe('summary_large_image');
  expect(tag(html, 'og:image')).toBe(`http://muster.test/previews/events/${event.slug}.png`);
  expect(html).toContain(`<link rel="canonical" href="http://muster.test/app/events/${event.slug}" />`);
  for (const secret of ['Adelheid', 'Zuckermann', ada.email, 'Code 77']) expect(html).not.toContain(secret);
});

test("links and preview images: are in the language of the club, its founder's until an admin changes it [LANG-11]", async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  await ada.api.users.update({ language: 'de' });
  const club = await w.club([ada, bob], 'Ruderer');
  const event = await w.event(club, ada, { name: 'Nachtfahrt', time_zone: 'Europe/Berlin' });
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  const paths = [`/app/events/${event.slug}`, `/app/club/${club.slug}/${invite_link}`];
  const pictures = [`/previews/events/${event.slug}.png`, `/previews/invites/${invite_link}.png`];
  const shown = async () => ({
    texts: await Promise.all(paths.map(async (path) => tag(await page(w, path), 'og:description'))),
    tags: await Promise.all(pictures.map(async (path) => (await fetch(w.origin + path)).headers.get('etag'))),
  });
  expect((await bob.api.clubs.get({ club: club.id })).language).toBe('de');
  const german = await shown();
  expect(german.texts).toEqual([
    expect.stringMatching(/^\w+tag, \d+\. \p{L}+ 20\d\d, \d\d:\d\d\sUhr$/u),
    'Du bist eingeladen, bei Ruderer auf Muster mitzumachen.',
  ]);

  // Only the language of the club counts, not that of the founder.
  await ada.api.users.update({ language: 'en' });
  expect(await shown()).toEqual(german);
  await expect(ada.api.clubs.update({ club: club.id, language: 'tlh' as never })).rejects.toMatchObject({
    error: 'bad_input',
  });
  await expect(bob.api.clubs.update({ club: club.id, language: 'en' })).rejects.toMatchObject({
    error: 'not_admin',
  });
  expect(await shown()).toEqual(german);
  await ada.api.clubs.update({ club: club.id, language: 'en' });
  const english = await shown();
  expect(english.texts).toEqual([
    expect.stringMatching(/^\w+day \d+ \w+ 20\d\d, \d+:\d\d [ap]m$/),
    'You are invited to join Ruderer on Muster.',
  ]);
  for (const [at, etag] of german.tags.entries()) expect(english.tags[at]).not.toBe(etag);
  expect((await bob.api.clubs.get({ club: club.id })).language).toBe('en');

  await ada.api.events.cancel({ event: event.id });
  await ada.api.clubs.update({ club: club.id, language: 'de' });
  expect(tag(await page(w, paths[0] as string), 'og:title')).toBe('Abgesagt: Nachtfahrt');
});

test('event link: shows the default preview when event previews are off [UX-22]', async () => {
  await using w = await isolatedWorld({ EVENT_PREVIEW: 'off' });
  const ada = await w.person('Ada');
  const event = await w.event(await w.club([ada]), ada, { name: 'Night row' });
  expect(await page(w, `/app/events/${event.slug}`)).not.toMatch(/Night row|name="event"/);
  expect((await fetch(`${w.origin}/previews/events/${event.slug}.png`)).status).toBe(404);
});

test('invite link: shows the club name only while the invite is active', async () => {
  await using w = await isolatedWorld({ PRODUCT_NAME: 'Tack & <Jib>' });
  const ada = await w.person('Ada');
  const club = await w.club([ada], 'Deep Water');
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  const path = `/app/club/${club.slug}/${invite_link}`;
  const picture = `${w.origin}/previews/invites/${invite_link}.png`;
  expect(tag(await page(w, path), 'og:title')).toBe('Deep Water');
  expect((await fetch(picture)).status).toBe(200);

  await run(w.db, sql`update invite_links set expires_at = now() - interval '1 second'`);
  const dead = await page(w, path);
  const unknown = await page(w, `/app/club/${club.slug}/nothing`);
  expect(dead.replaceAll(invite_link, 'nothing')).toBe(unknown);
  expect(tag(unknown, 'og:title')).toBe('Tack &amp; &lt;Jib&gt;');
  expect((await fetch(picture)).status).toBe(404);
  for (const odd of ['%00', '%', "'", 'a'.repeat(600)]) {
    expect((await fetch(`${w.origin}/app/events/${odd}`)).status).toBeLessThan(500);
    expect((await fetch(`${w.origin}/previews/events/${odd}.png`)).status).toBeOneOf([400, 404]);
  }
});

test('preview image: a PNG of 1200×630 with an ETag', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const event = await w.event(await w.club([ada]), ada, { name: `<b>&amp; "Tea" ${'long '.repeat(15)}` });
  const address = `${w.origin}/previews/events/${event.slug}.png`;
  const response = await fetch(address);
  expect(response.headers.get('content-type')).toBe('image/png');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
  const etag = response.headers.get('etag') ?? '';
  expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304);
});

/** Text that is hard to lay out: stacked combining marks, invisible characters, direction changes. */
const hardToLayOut = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'Z',
        'ก',
        'ﷺ',
        '𒐫',
        '👩‍👩‍👧',
        '\u200B',
        '\u00AD',
        '\u2800',
        '&',
        '<',
        '\u{E0041}',
        '\u202E',
        ' ',
      ),
      fc.constantFrom('\u0301', '\u0323', '\u0E49', '\u20DD', '\u0489').map((mark) => mark.repeat(20)),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((parts) => [...parts.join('').replaceAll(/\p{Cc}/gu, '')].slice(0, 60).join(''));

test('preview image: drawn for any event name [T35]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  const { slug } = await w.event(club, ada);
  const rename = (name: string) => ada.api.events.edit({ event: slug, club: club.id, name });
  const property = fc.asyncProperty(hardToLayOut, async (name) => {
    fc.pre(
      await rename(name).then(
        () => true,
        () => false,
      ),
    );
    const response = await fetch(`${w.origin}/previews/events/${slug}.png`);
    expect([name, response.status, response.headers.get('content-type')]).toEqual([name, 200, 'image/png']);
  });
  const stacks = ['\u0301', '\u0323', '\u0E49', '\u20DD'].map((mark): [string] => [`ก${mark.repeat(119)}`]);
  await fc.assert(property, { numRuns: 40, examples: [...stacks, ['\u200B\u200B']], endOnFailure: true });
});

const statuses = async (addresses: string[]) => {
  const responses = await Promise.all(addresses.map((address) => fetch(address)));
  await Promise.all(responses.map((response) => response.arrayBuffer()));
  return responses.map(({ status, headers }) => [status, headers.get('retry-after')]);
};

test('preview image: has the colour of the club [UX-36 LOOKUX-01]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  for (let nth = 0; nth < 4; nth++) {
    const club = await w.club([ada]);
    const { slug } = await w.event(club, ada);
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    for (const path of [`events/${slug}`, `invites/${invite_link}`]) {
      const response = await fetch(`${w.origin}/previews/${path}.png`);
      const picture = sharp(await response.bytes()).removeAlpha();
      const corner = await picture.extract({ left: 0, top: 0, width: 1, height: 1 }).raw().toBuffer();
      expect(`#${corner.toString('hex')}`).toBe(clubColours(club.id).light.main);
    }
  }
});

test('preview image: drawn once for concurrent requests', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const { slug } = await w.event(await w.club([ada]), ada, { name: 'Popular' });
  const address = `${w.origin}/previews/events/${slug}.png`;
  const outcomes = await statuses(Array.from({ length: 60 }, () => address));
  expect(new Set(outcomes.map(([status]) => status))).toEqual(new Set([200]));
});

test('preview image: images are drawn one at a time; 503 with retry-after when twenty requests are waiting [T34]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  const slugs: string[] = [];
  for (let nth = 0; nth < 40; nth++) slugs.push((await w.event(club, ada, { name: `Heat ${nth}` })).slug);
  const addresses = slugs.map((slug) => `${w.origin}/previews/events/${slug}.png`);
  const outcomes = await statuses(addresses);
  expect(new Set(outcomes.map(String))).toEqual(new Set(['200,', '503,2']));
  expect(outcomes.filter(([status]) => status === 200).length).toBeGreaterThanOrEqual(20);
  const calm = await statuses(addresses.slice(0, 10));
  expect(calm.every(([status]) => status === 200)).toBe(true);
});

test('preview image: limited to sixty a minute per network [T34]', async () => {
  await using w = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on', TRUST_PROXY: 'on' });
  const ada = await w.person('Ada');
  const { slug } = await w.event(await w.club([ada]), ada);
  const ask = async (from: string) => {
    const headers = { 'x-forwarded-for': from };
    return (await fetch(`${w.origin}/previews/events/${slug}.png`, { headers })).status;
  };
  for (let nth = 0; nth < 60; nth++) expect(await ask('192.0.2.1')).toBe(200);
  expect([await ask('192.0.2.1:4711'), await ask('192.0.2.2')]).toEqual([429, 200]);
});

test('manifest: contains the configured product name, and its icons exist', async () => {
  await using w = await isolatedWorld({ PRODUCT_NAME: 'Tack & Jib' });
  const response = await fetch(`${w.origin}/manifest.webmanifest`);
  expect(response.headers.get('content-type')).toContain('application/manifest+json');
  const manifest = (await response.json()) as { name: string; icons: { src: string }[] };
  expect(manifest.name).toBe('Tack & Jib');
  for (const { src } of manifest.icons) expect((await fetch(w.origin + src)).status).toBe(200);
});
