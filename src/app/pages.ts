import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#platform/config.ts';
import { version } from '#platform/version.ts';
import { byLanguage, type Language } from '#languages/languages.ts';
import { takesGzip } from '#platform/http/reply.ts';
import type { CallEndpoint } from '#platform/http/server.ts';
import type { Log } from '#platform/log.ts';
import { fail } from '#wire/errors.ts';
import { inLook } from '#wire/look.ts';
import { serveAnswerPage } from '#app/answer-page.ts';
import { serveReadPage } from '#app/read-page.ts';
import { defaultPreview, escaped, linkPreviewOf, tagsOf, type Site } from '#app/link-previews.ts';
import { languageHeaders, languageInUrl, languageOf } from '#app/page-language.ts';
import { t } from '#app/page-messages.ts';
import { type Chunks, isPage, pagePaths, scriptsOf } from '#app/page-scripts.ts';
import { type Markup, type Prerender, serveSsr } from '#app/ssr.ts';

const built = fileURLToPath(new URL('../../dist/web/', import.meta.url));
const prerenderer = new URL('../../dist/server/prerender.js', import.meta.url).href;

/**
 * Serves the built web app: its files, and its HTML page for every path that is neither a file nor part of the API. The
 * status is 404 if the app has no page at the path.
 */
export async function servePages(
  app: FastifyInstance,
  { log, call, ...site }: Site & { log: Log; call: CallEndpoint },
): Promise<void> {
  if (!existsSync(`${built}index.html`)) {
    app.setNotFoundHandler(() => fail('not_found'));
    return;
  }
  const manifests = byLanguage((language) => manifestOf(site.config, language));
  app.get('/manifest.webmanifest', { exposeHeadRoute: true }, (request, reply) => {
    const language = languageOf(request);
    reply
      .type('application/manifest+json')
      .headers({ 'cache-control': 'no-cache', ...languageHeaders(language) });
    return reply.send(manifests[language]);
  });
  await serveFiles(app);
  const prerender = (await import(prerenderer)) as Prerender;
  const markup = await prerender.markup(settingsOf(site.config));
  app.get('/', { exposeHeadRoute: true }, landing(site.config, markup));
  const forms = {
    templates: byLanguage((language) => readPage('answer.html', site.config, language)),
    log,
    call,
  };
  await serveAnswerPage(app, { ...forms, render: prerender.renderAnswer });
  await serveReadPage(app, { ...forms, render: prerender.renderRead });
  const chunks = JSON.parse(readFileSync(`${built}.vite/manifest.json`, 'utf8')) as Chunks;
  serveSsr(app, call, prerender, chunks);
  const pageOf = pagesOf(site, markup, prerender, chunks);
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request.url);
    if (/\.\w+$/.test(path)) fail('not_found');
    const language = languageOf(request);
    reply.status(isPage(path) ? 200 : 404);
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'cache-control': 'no-cache', ...languageHeaders(language) });
    return reply.send(await pageOf(path, language));
  };
  for (const path of pagePaths) app.get(path, { exposeHeadRoute: true }, page);
  // For an unknown page, the app itself shows that nothing was found.
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request.url);
    const reads = request.method === 'GET' || request.method === 'HEAD';
    // HEAD requests also arrive here for paths that a GET route serves.
    if (!reads || path.startsWith('/api') || app.hasRoute({ method: 'GET', url: path })) fail('not_found');
    return page(request, reply);
  });
}

/** Serves the built files: two folders, and a route for each file beside them, such as the service worker. */
async function serveFiles(app: FastifyInstance): Promise<void> {
  const folders = ['assets', 'icons'];
  for (const folder of folders)
    await app.register(fastifyStatic, {
      root: built + folder,
      prefix: `/${folder}/`,
      decorateReply: folder === folders[0],
      index: false,
      dotfiles: 'ignore',
      preCompressed: true,
      cacheControl: false,
      // For a directory the plug-in would respond with 400 to clients that accept no compression, such as crawlers.
      allowedPath: (path) => !path.endsWith('/'),
      setHeaders(reply, path) {
        const isHashed = path.startsWith(`${built}assets/`);
        reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  const files = readdirSync(built, { withFileTypes: true }).filter((file) => file.isFile());
  for (const { name } of files.filter((file) => !/\.(html|br|gz)$/.test(file.name)))
    app.get(`/${name}`, { exposeHeadRoute: true }, (_request, reply) => reply.sendFile(name, built));
}

/**
 * The landing page is static, so it is rendered and compressed once for each language. For search engines, `/` and the
 * versions at `/?lang=…`, which it names, are pages with addresses of their own.
 */
function landing(config: Config, markup: Markup) {
  const { publicUrl } = config;
  const versions = [
    ...Object.keys(markup['/']).map((code) => [code, `/?lang=${code}`]),
    ['x-default', '/'],
  ].map(([code, path]) => `<link rel="alternate" hreflang="${code}" href="${escaped(publicUrl + path)}" />`);
  const pageAt = (path: string, language: Language) => {
    const page = readPage('landing.html', config, language)
      .replace('<!--page-->', () => markup['/'][language])
      .replace('<!--preview-->', () => tagsOf(defaultPreview(path, config, language), config))
      .replace('<!--versions-->', () => versions.join('\n    '));
    return { page, zipped: gzipSync(page, { level: 9 }) };
  };
  const negotiated = byLanguage((language) => pageAt('/', language));
  const chosen = byLanguage((language) => pageAt(`/?lang=${language}`, language));
  return (request: FastifyRequest, reply: FastifyReply) => {
    const language = languageOf(request);
    const { page, zipped } = (languageInUrl(request) ? chosen : negotiated)[language];
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'cache-control': 'no-cache', ...languageHeaders(language) })
      .header('vary', 'Accept-Encoding, Accept-Language');
    if (!takesGzip(request)) return reply.send(page);
    return reply.header('content-encoding', 'gzip').send(zipped);
  };
}

/**
 * The HTML page of all other paths, with prerendered markup. The login page and the server-rendered screens of the app
 * load their scripts after the first paint, so that the scripts do not compete with it for bandwidth (the page names
 * them in `data-scripts`). All other screens depend on their scripts, which are preloaded.
 */
function pagesOf(site: Site, markup: Markup, { screenAt }: Prerender, chunks: Chunks) {
  const pages = byLanguage((language) => readPage('index.html', site.config, language));
  const withMarkup = (path: string, language: Language) => {
    const page = pages[language];
    if (path === '/login') return rendered(page, path, markup[path][language]);
    const screen = screenAt(path);
    const scripts = scriptsOf(path, chunks, screen ? [screen.file] : []).filter(
      (file) => !page.includes(file),
    );
    const files = scripts.map((file) => `/${file}`);
    if (screen) return rendered(page, '/app', markup['/app'], files);
    const links = files.map((file) => `<link rel="modulepreload" crossorigin href="${file}" />`);
    // At the end of the head, so that the resources of the first paint load first.
    const linked = page.replace('</head>', [...links, '</head>'].join('\n'));
    return isInApp(path) ? rendered(linked, '/app', markup['/app']) : linked;
  };
  return async (path: string, language: Language) => {
    const tags = tagsOf(await linkPreviewOf(path, site, language), site.config);
    return withMarkup(path, language).replace('<!--preview-->', () => tags);
  };
}

const isInApp = (path: string) => /^\/app(\/|$)/.test(path);

/** `data-rendered` names the prerendered screen, because a cached page may be shown at another path. */
function rendered(page: string, screen: '/login' | '/app', html: string, scripts: string[] = []): string {
  const root = `<div id="root" data-rendered="${screen}" data-scripts="${scripts.join(' ')}">`;
  return page.replace('<div id="root">', () => root + html);
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? url;

const readPage = (name: string, config: Config, language: Language): string =>
  readFileSync(built + name, 'utf8')
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace('<!--needs-javascript-->', () => inLanguage(language, () => t('needsJavaScript')))
    .replace('<!--manifest-->', '<link rel="manifest" href="/manifest.webmanifest" />')
    .replace('<!--settings-->', () => settingsTag(config));

const inLanguage = (language: Language, render: () => string) => inLook({ language, clock: 'auto' }, render);

/** The settings for the browser, in a meta tag because the content security policy forbids inline scripts. */
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
    ...(config.registration !== 'open' && { registration: config.registration }),
    ...(config.allowedEmailDomains && { allowedEmailDomains: config.allowedEmailDomains }),
    version,
    ...(config.pushHosts.length > 0 && { hasPush: true }),
    ...(config.calendarOrganizer && { mailsInvitations: true }),
  };
}

/** The web app manifest. */
const manifestOf = ({ productName }: Config, language: Language): string =>
  JSON.stringify({
    id: '/app',
    name: productName,
    short_name: productName,
    description: inLanguage(language, () => t('appDescription')),
    lang: language,
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
