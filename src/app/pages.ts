import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#platform/config.ts';
import { takesGzip } from '#platform/gzip.ts';
import { refuse } from '#wire/refusal.ts';
import { escaped, previewOf, tagsOf, type Site } from '#app/previews.ts';

const built = fileURLToPath(new URL('../../dist/web/', import.meta.url));
const prerender = new URL('../../dist/server/prerender.js', import.meta.url).href;

/** Serves the web app, once it is built: its files, and its one page for every address that is no file and not of the API. */
export async function servePages(app: FastifyInstance, site: Site): Promise<void> {
  if (!existsSync(`${built}index.html`)) {
    app.setNotFoundHandler(() => refuse('not_found'));
    return;
  }
  const manifest = manifestOf(site.config);
  app.get('/manifest.webmanifest', (_request, reply) =>
    reply.type('application/manifest+json').header('cache-control', 'no-cache').send(manifest),
  );
  await app.register(fastifyStatic, {
    root: built,
    index: false,
    wildcard: true,
    dotfiles: 'ignore',
    preCompressed: true,
    cacheControl: false,
    // Of a folder the plug-in would answer 400 to whoever takes no compression: crawlers, monitors, curl.
    allowedPath: (path) => !path.endsWith('/') && !path.endsWith('.html'),
    setHeaders(reply, path) {
      const forever = path.includes('/assets/');
      reply.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  const page = readPage('index.html', site.config);
  app.get('/', await landing(site));
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request.url);
    const isPage = request.method === 'GET' && !path.startsWith('/api') && !/\.\w+$/.test(path);
    if (!isPage) refuse('not_found');
    const tags = tagsOf(await previewOf(path, site), site.config);
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache');
    return reply.send(page.replace('<!--preview-->', () => tags));
  });
}

/** The landing page is the same for everybody and needs no script to be read, so it is made once, and compressed. */
async function landing(site: Site) {
  const { landingMarkup } = (await import(prerender)) as { landingMarkup(settings: object): string };
  const markup = landingMarkup(settingsOf(site.config));
  const tags = tagsOf(await previewOf('/', site), site.config);
  const page = readPage('landing.html', site.config)
    .replace('<!--preview-->', () => tags)
    .replace('<!--page-->', () => markup);
  const zipped = gzipSync(page, { level: 9 });
  return (request: FastifyRequest, reply: FastifyReply) => {
    reply.type('text/html; charset=utf-8').headers({ 'cache-control': 'no-cache', vary: 'Accept-Encoding' });
    if (!takesGzip(request)) return reply.send(page);
    return reply.header('content-encoding', 'gzip').send(zipped);
  };
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? url;

const readPage = (name: string, config: Config): string =>
  readFileSync(built + name, 'utf8')
    .replace('<!--manifest-->', '<link rel="manifest" href="/manifest.webmanifest" />')
    .replace('<!--settings-->', () => settingsTag(config));

/** What the browser needs to know of the settings, in a place that the content security policy allows. */
function settingsTag(config: Config): string {
  return `<meta name="muster-settings" content="${escaped(JSON.stringify(settingsOf(config)))}" />`;
}

function settingsOf(config: Config) {
  const { productName, supportEmail, makerName, makerUrl, developerName, developerUrl, donateUrl } = config;
  return { productName, supportEmail, makerName, makerUrl, developerName, developerUrl, donateUrl };
}

/** What a phone or computer installs the app by. */
const manifestOf = ({ productName }: Config): string =>
  JSON.stringify({
    id: '/app',
    name: productName,
    short_name: productName,
    description: 'Organise your club: members, events, and all of it in your calendar.',
    lang: 'en-GB',
    start_url: '/app',
    scope: '/',
    display: 'standalone',
    theme_color: '#0b6a61',
    background_color: '#f6f7f4',
    icons: [
      { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png' },
      { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
    ],
  });
