import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { digest } from '#platform/token.ts';
import { fail, ApiError } from '#wire/errors.ts';
import { clubColours } from '#wire/club-colours.ts';
import { inLook } from '#wire/look.ts';
import { previewOfEvent } from '#features/events/preview-queries.ts';
import { previewOfInvite } from '#features/invites/store.ts';
import { dateText, escaped, lookOfClub, type Site } from '#app/link-previews.ts';
import { t } from '#app/preview-messages.ts';

/** A preview image: a small line, a large line and another small line, on the colour of the club. */
interface Card {
  club: string;
  above: string;
  name: string;
  below: string;
}

/** Serves the preview images of events and invites. */
export function serveOgImages(app: FastifyInstance, { config, db }: Site): void {
  const options = config.limitsPerAddress ? { config: { rateLimit: { max: 60, timeWindow: 60_000 } } } : {};
  const product = config.productName;

  app.get<{ Params: { slug: string } }>('/previews/events/:slug.png', options, async (request, reply) => {
    const event = config.eventPreview ? await previewOfEvent(db, validName(request.params.slug)) : undefined;
    if (!event) fail('not_found');
    const { name, club_name, owner_club_id } = event;
    const below = inLook(lookOfClub(event), () =>
      event.deleted_at ? t('cancelled', { what: dateText(event) }) : dateText(event),
    );
    return sendPicture(request, reply, { club: owner_club_id, above: club_name, name, below }, product);
  });

  app.get<{ Params: { token: string } }>('/previews/invites/:token.png', options, async (request, reply) => {
    const invite = await previewOfInvite(db, validName(request.params.token));
    if (!invite) fail('not_found');
    const { id: club, club_name: name } = invite;
    const card = inLook(lookOfClub(invite), () => ({
      club,
      above: t('invitedTo'),
      name,
      below: t('openToJoin'),
    }));
    return sendPicture(request, reply, card, product);
  });
}

const validName = (name: string): string => (/^[\w-]{1,200}$/.test(name) ? name : fail('not_found'));

async function sendPicture(request: FastifyRequest, reply: FastifyReply, card: Card, product: string) {
  const key = digest(JSON.stringify([card, product]))
    .toString('base64url')
    .slice(0, 27);
  reply.headers({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=300',
    // Chat apps embed the image in their own pages.
    'cross-origin-resource-policy': 'cross-origin',
    etag: `"${key}"`,
  });
  if (request.headers['if-none-match']?.includes(`"${key}"`)) return reply.status(304).send();
  return reply.send(await picture(key, card, product));
}

/** Images, keyed by a hash of their content. Concurrent requests share an image that is still being drawn. */
const cache = new Map<string, Promise<Buffer>>();
const maxCached = 50;
const maxWaiting = 20;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** Draws one image at a time, so that anonymous requests never use more than one core. */
function picture(key: string, card: Card, product: string): Promise<Buffer> {
  const cached = cache.get(key);
  if (cached) return cached;
  if (waiting >= maxWaiting) throw new ApiError('unavailable', { retryAfter: 2 });
  waiting++;
  const drawn = last.then(() => draw(card, product)).finally(() => waiting--);
  last = drawn.catch(() => cache.delete(key));
  cache.set(key, drawn);
  const [oldest] = cache.keys();
  if (cache.size > maxCached && oldest) cache.delete(oldest);
  return drawn;
}

const width = 1200;
const height = 630;
const margin = 90;
const line = { width: width - 2 * margin, font: 'DejaVu Sans' };

const groundIn = (colour: string) =>
  Buffer.from(`
  <svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="${width}" height="${height}" fill="${colour}"/>
    <circle cx="1110" cy="70" r="230" opacity="0.2"/>
    <circle cx="1010" cy="640" r="150" opacity="0.2"/>
    <g transform="translate(${margin} 62) scale(1.75)">
      <rect width="32" height="32" rx="9" fill="#fff"/>
      <circle cx="8.5" cy="11" r="2.75" fill="#0b6a61"/><circle cx="23.5" cy="11" r="2.75" fill="#0b6a61"/>
      <circle cx="16" cy="8" r="2.75" fill="#c98a1b"/>
      <path d="M6 23.5v-2.8a2.6 2.6 0 0 1 4.6-1.6L16 25l5.4-5.9a2.6 2.6 0 0 1 4.6 1.6v2.8" fill="none"
        stroke="#0b6a61" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
    </g>
  </svg>`);

/** A text layout engine (Pango) sets the text, because it handles every script and its line breaking. */
async function draw({ club, above, name, below }: Card, product: string): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  const { main, ink, soft } = clubColours(club).light;
  const text = async (words: string, size: number, weight: string, colour: string, maxHeight: number) => {
    const markup = `<span foreground="${colour}" font_weight="${weight}">${escaped(words)}</span>`;
    const set = (fit: { dpi: number } | { height: number }, font: number) =>
      sharp({
        text: { text: markup, ...line, font: `${line.font} ${font}`, rgba: true, wrap: 'word-char', ...fit },
      })
        .png()
        .toBuffer({ resolveWithObject: true });
    try {
      const set72 = await set({ dpi: 72 }, size);
      if (set72.info.height <= maxHeight && set72.info.width <= line.width) return set72;
      const fitted = set72.info.height > maxHeight ? await set({ height: maxHeight }, size) : set72;
      // Stacked combining marks exceed the height and width that the engine was given.
      return await sharp(fitted.data)
        .resize({ width: line.width, height: maxHeight, fit: 'inside', withoutEnlargement: true })
        .png()
        .toBuffer({ resolveWithObject: true });
    } catch (error) {
      if (!/no text to render/.test((error as Error).message)) throw error;
      // The text consists of invisible characters only.
      return sharp({ create: { width: 1, height: 1, channels: 4, background: 'transparent' } })
        .png()
        .toBuffer({ resolveWithObject: true });
    }
  };
  const head = await text(product, 34, 'bold', ink, 50);
  const first = await text(above, 34, 'normal', ink, 50);
  const middle = await text(name, 76, 'bold', ink, 215);
  const end = await text(below, 38, 'normal', soft, 60);
  const top = 190;
  return sharp(groundIn(main))
    .composite([
      { input: head.data, left: margin + 76, top: 62 + Math.round((56 - head.info.height) / 2) },
      { input: first.data, left: margin, top },
      { input: middle.data, left: margin, top: top + 70 },
      { input: end.data, left: margin, top: height - margin - end.info.height },
    ])
    .png({ palette: true })
    .toBuffer();
}
