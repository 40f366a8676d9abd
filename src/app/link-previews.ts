import type { Config } from '#platform/config.ts';
import { isUnavailable, type Db } from '#platform/db/client.ts';
import { toLook } from '#platform/db/look.ts';
import { previewOfEvent, type EventPreview } from '#features/events/preview-queries.ts';
import { previewOfInvite, type InvitePreview } from '#features/invites/store.ts';
import type { Language } from '#languages/languages.ts';
import { truncate, fullDateAndTime } from '#wire/format.ts';
import { inLook, type Look } from '#wire/look.ts';
import { t } from '#app/preview-messages.ts';

export interface Site {
  config: Config;
  db: Db;
}

/** The preview of a link in chat apps and social networks. */
export interface Preview {
  title: string;
  description: string;
  /** Canonical path of the page. */
  path: string;
  /** Path of a 1200×630 image; defaults to the product's icon. */
  picture?: string;
  /** The event, for the landing page, to which visitors without a session are redirected. */
  event?: { title: string; start?: string; zone?: string };
}

const maxDescriptionLength = 200;

/** Slugs and tokens contain only these characters; anything else is not looked up. */
const name = String.raw`([\w-]{1,200})`;
const eventPath = new RegExp(`^/app/events/${name}/?$`);
const invitePath = new RegExp(`^/app/club/[^/]+/${name}/?$`);

/** A preview is in the language of its club, because the service that shows it knows no reader. */
export const lookOfClub = ({ language }: { language: string }): Look =>
  toLook({ language, clock: 'auto', timeZone: null });

/**
 * Looks up the target of a link. Unknown or expired targets, and an unavailable database, yield the default preview in
 * the language of the page.
 */
export async function linkPreviewOf(path: string, site: Site, language: Language): Promise<Preview> {
  const slug = eventPath.exec(path)?.[1];
  const token = invitePath.exec(path)?.[1];
  const found = slug ? findEventPreview(slug, site) : token ? findInvitePreview(token, site) : undefined;
  const preview = await found?.catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
  });
  return preview ?? defaultPreview(path, site.config, language);
}

export const defaultPreview = (path: string, { productName }: Config, language: Language): Preview => ({
  title: productName,
  description: inLook({ language, clock: 'auto' }, () => t('product')),
  path,
});

async function findEventPreview(slug: string, { config, db }: Site): Promise<Preview | undefined> {
  const event = config.eventPreview ? await previewOfEvent(db, slug) : undefined;
  return event && inLook(lookOfClub(event), () => ofEvent(event));
}

async function findInvitePreview(token: string, { config, db }: Site): Promise<Preview | undefined> {
  const invite = await previewOfInvite(db, token);
  return invite && inLook(lookOfClub(invite), () => ofInvite(invite, token, config));
}

export const dateText = ({
  start_time,
  time_zone,
  polling,
}: Pick<EventPreview, 'start_time' | 'time_zone' | 'polling'>): string =>
  polling ? t('timeIsOpen') : fullDateAndTime(start_time, time_zone);

export function ofEvent(event: Omit<EventPreview, 'language'>): Preview {
  const summary = event.description.replaceAll(/\s+/g, ' ').trim();
  return {
    title: event.deleted_at ? t('cancelled', { what: event.name }) : event.name,
    description: truncate(
      summary ? t('whenAndWhat', { when: dateText(event), description: summary }) : dateText(event),
      maxDescriptionLength,
    ),
    path: `/app/events/${event.slug}`,
    picture: `/previews/events/${event.slug}.png`,
    event: {
      title: event.name,
      ...(!event.polling && { start: event.start_time, zone: event.time_zone }),
    },
  };
}

const ofInvite = ({ club_name, slug }: InvitePreview, token: string, { productName }: Config): Preview => ({
  title: club_name,
  description: t('invited', { club: club_name, productName }),
  path: `/app/club/${slug}/${token}`,
  picture: `/previews/invites/${token}.png`,
});

/** Pages that search engines may index; all others are private. */
const indexedPaths = new Set(['/', '/login', '/privacy-policy']);

/** The tags in the head that differ per page. */
export function tagsOf({ title, description, path, picture, event }: Preview, config: Config): string {
  const { productName, publicUrl } = config;
  const image = `${publicUrl}${picture ?? '/icons/icon-512.png'}`;
  const size = picture ? ['1200', '630'] : ['512', '512'];
  const open = {
    'og:type': 'website',
    'og:site_name': productName,
    'og:title': title,
    'og:description': description,
    'og:url': publicUrl + path,
    'og:image': image,
    'og:image:width': size[0],
    'og:image:height': size[1],
  };
  const named = {
    description,
    'twitter:card': picture ? 'summary_large_image' : 'summary',
    'twitter:title': title,
    'twitter:description': description,
    'twitter:image': image,
    ...(event && { event: JSON.stringify(event) }),
    ...(indexedPaths.has(path.replace(/\?.*/s, '')) ? {} : { robots: 'noindex' }),
  };
  return [
    `<title>${escaped(title === productName ? title : `${productName} - ${title}`)}</title>`,
    `<link rel="canonical" href="${escaped(publicUrl + path)}" />`,
    ...Object.entries(open).map(([key, value]) => `<meta property="${key}" content="${escaped(value)}" />`),
    ...Object.entries(named).map(([key, value]) => `<meta name="${key}" content="${escaped(value)}" />`),
  ].join('\n    ');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML and XML content and quoted attributes. */
export const escaped = (text = ''): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
