import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#platform/config.ts';
import type { Read } from '#platform/http/fast-path.ts';
import { takesGzip } from '#platform/http/compression.ts';
import { fail } from '#wire/errors.ts';
import { escaped, previewOf, tagsOf, type Site } from '#app/link-previews.ts';
import { type Chunks, scriptsOf } from '#app/page-scripts.ts';
import { type Markup, type Prerender, serveSsr } from '#app/ssr.ts';

const built = fileURLToPath(new URL('../../dist/web/', import.meta.url));
const prerenderer = new URL('../../dist/server/prerender.js', import.meta.url).href;

/** Serves the web app, once it is built: its files, and its one page for every address that is no file and not of the API. */
export async function servePages(app: FastifyInstance, site: Site, read: Read): Promise<void> {
  if (!existsSync(`${built}index.html`)) {
    app.setNotFoundHandler(() => fail('not_found'));
    return;
  }
  const manifest = manifestOf(site.config);
  app.get('/manifest.webmanifest', { exposeHeadRoute: true }, (_request, reply) =>
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
  const prerender = (await import(prerenderer)) as Prerender;
  const markup = await prerender.markup(settingsOf(site.config));
  app.get('/', { exposeHeadRoute: true }, await landing(site, markup));
  serveSsr(app, read, prerender);
  const pageOf = pagesOf(site, markup, prerender);
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request.url);
    const reads = request.method === 'GET' || request.method === 'HEAD';
    // A HEAD also comes here from an address that GET serves as something else.
    const isElse =
      path.startsWith('/api') || /\.\w+$/.test(path) || app.hasRoute({ method: 'GET', url: path });
    const isPage = reads && !isElse;
    if (!isPage) fail('not_found');
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache');
    return reply.send(await pageOf(path));
  });
}

/** Needs no script to be read, and is the same for everybody, so it is made once, and compressed. */
async function landing(site: Site, markup: Markup) {
  const page = await filled(
    readPage('landing.html', site.config).replace('<!--page-->', () => markup['/']),
    '/',
    site,
  );
  const zipped = gzipSync(page, { level: 9 });
  return (request: FastifyRequest, reply: FastifyReply) => {
    reply.type('text/html; charset=utf-8').headers({ 'cache-control': 'no-cache', vary: 'Accept-Encoding' });
    if (!takesGzip(request)) return reply.send(page);
    return reply.header('content-encoding', 'gzip').send(zipped);
  };
}

/**
 * The one page of all other addresses, with what is drawn of the screen there. Where that is whole, or will be drawn for
 * whoever asks, nothing takes the line from it: the login asks for its scripts when it is painted, and so does a screen of
 * the app, which is told their names. All others are made by their scripts, and these are asked for at once.
 */
function pagesOf(site: Site, markup: Markup, { callsOf }: Prerender) {
  const page = readPage('index.html', site.config);
  const chunks = JSON.parse(readFileSync(`${built}.vite/manifest.json`, 'utf8')) as Chunks;
  return (path: string) => {
    if (path === '/login') return filled(rendered(page, path, markup), path, site);
    const scripts = scriptsOf(path, chunks).filter((file) => !page.includes(file));
    const files = scripts.map((file) => `/${file}`);
    if (callsOf(path).length > 0) return filled(rendered(page, '/app', markup, files), path, site);
    const links = files.map((file) => `<link rel="modulepreload" crossorigin href="${file}" />`);
    // Last in the head: what the first paint needs goes first.
    const linked = page.replace('</head>', [...links, '</head>'].join('\n'));
    return filled(isInApp(path) ? rendered(linked, '/app', markup) : linked, path, site);
  };
}

const isInApp = (path: string) => /^\/app(\/|$)/.test(path);

/** Says as well what is drawn, for the page may be kept and shown at another address. */
function rendered(page: string, screen: '/login' | '/app', markup: Markup, scripts: string[] = []): string {
  const root = `<div id="root" data-drawn="${screen}" data-scripts="${scripts.join(' ')}">`;
  return page.replace('<div id="root">', () => root + markup[screen]);
}

async function filled(page: string, path: string, site: Site): Promise<string> {
  const tags = tagsOf(await previewOf(path, site), site.config);
  return page.replace('<!--preview-->', () => tags);
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
  const supportUrl = supportEmail && `mailto:${supportEmail}?subject=${encodeURIComponent(productName)}`;
  return {
    productName,
    supportEmail,
    supportUrl,
    makerName,
    makerUrl,
    developerName,
    developerUrl,
    donateUrl,
  };
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
