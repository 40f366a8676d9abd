import { expect, test } from 'vitest';
import { run, sql } from '#platform/db.ts';
import { ofEvent, tagsOf } from '#app/previews.ts';
import { ownWorld, world, type World } from '#test/world.ts';

const page = async (w: World, path: string) => (await fetch(w.origin + path)).text();

const tag = (html: string, key: string) =>
  new RegExp(`<meta (?:name|property)="${key}" content="([^"]*)"`).exec(html)?.[1];

test('what people wrote stays text in the head of the page', async () => {
  await using w = await world();
  const preview = ofEvent({
    slug: 'run',
    name: `"><script>alert('1')</script>`,
    description: '5 > 4 & "so"',
    start_time: '2026-06-21T17:30:00.000Z',
    time_zone: 'Europe/Berlin',
    deleted_at: null,
    club_name: 'Rowers',
  });
  const html = tagsOf(preview, w.config);
  expect(html).not.toContain('<script');
  expect(tag(html, 'og:title')).toBe('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;');
  expect(tag(html, 'og:description')).toBe('Sunday 21 June 2026, 7:30 pm · 5 &gt; 4 &amp; &quot;so&quot;');
});

test('a link to an event tells its name, date and description, and nobody who is in it', async () => {
  await using w = await world();
  const ada = await w.person('Adelheid', 'Zuckermann');
  const club = await w.club([ada]);
  const event = await w.event(club, ada, {
    name: 'Night row',
    description: 'Bring a lamp',
    details: 'Code 77',
  });
  const html = await page(w, `/app/events/${event.slug}`);
  expect(html).toContain('<title>Muster - Night row</title>');
  expect(tag(html, 'og:title')).toBe('Night row');
  expect(tag(html, 'description')).toMatch(/ 20\d\d, \d+:\d\d [ap]m · Bring a lamp$/);
  expect(tag(html, 'twitter:card')).toBe('summary_large_image');
  expect(tag(html, 'og:image')).toBe(`http://muster.test/previews/events/${event.slug}.png`);
  expect(html).toContain(`<link rel="canonical" href="http://muster.test/app/events/${event.slug}" />`);
  for (const secret of ['Adelheid', 'Zuckermann', ada.email, 'Code 77']) expect(html).not.toContain(secret);
});

test('without previews of events, a link to one tells nothing', async () => {
  await using w = await ownWorld({ EVENT_PREVIEW: 'off' });
  const ada = await w.person('Ada');
  const event = await w.event(await w.club([ada]), ada, { name: 'Night row' });
  expect(await page(w, `/app/events/${event.slug}`)).not.toContain('Night row');
  expect((await fetch(`${w.origin}/previews/events/${event.slug}.png`)).status).toBe(404);
});

test('only a live invite tells the name of its club', async () => {
  await using w = await ownWorld({ PRODUCT_NAME: 'Tack & <Jib>' });
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

test('the picture of an event is a PNG of 1200×630, and is sent once', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const event = await w.event(await w.club([ada]), ada, { name: `<b>&amp; "Tea" ${'long '.repeat(15)}` });
  const address = `${w.origin}/previews/events/${event.slug}.png`;
  const answer = await fetch(address);
  expect(answer.headers.get('content-type')).toBe('image/png');
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
  const etag = answer.headers.get('etag') ?? '';
  expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304);
});

test('the manifest bears the name that the product has here, and its icons exist', async () => {
  await using w = await ownWorld({ PRODUCT_NAME: 'Tack & Jib' });
  const answer = await fetch(`${w.origin}/manifest.webmanifest`);
  expect(answer.headers.get('content-type')).toContain('application/manifest+json');
  const manifest = (await answer.json()) as { name: string; icons: { src: string }[] };
  expect(manifest.name).toBe('Tack & Jib');
  for (const { src } of manifest.icons) expect((await fetch(w.origin + src)).status).toBe(200);
});
