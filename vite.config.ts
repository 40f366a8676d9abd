import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, transformWithOxc, type Plugin } from 'vite';
import { z } from 'zod';

const isClient = ({ name }: { name: string }) => name === 'client';

/** Writes a .br and a .gz beside every text file except HTML, which the server fills in. */
function compressed(): Plugin {
  const compressible = /\.(js|css|svg|json|webmanifest)$/;
  const brotli = promisify(brotliCompress);
  const gzipAsync = promisify(gzip);
  return {
    name: 'compressed',
    apply: 'build',
    applyToEnvironment: isClient,
    async writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((file) => compressible.test(file))) {
        const file = join(dir, name);
        const content = await readFile(file);
        await writeFile(
          `${file}.br`,
          await brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
        );
        await writeFile(`${file}.gz`, await gzipAsync(content, { level: 9 }));
      }
    },
  };
}

/**
 * Replaces zod in the browser, which reads methods and paths from the contracts but never validates: every schema is a
 * stub that accepts any builder call. Calling a parse method throws.
 */
function zodStub(): Plugin {
  const id = '\0zod-stub';
  return {
    name: 'zod-stub',
    enforce: 'pre',
    resolveId: (source) => (source === 'zod' ? id : null),
    load: (module) => (module === id ? zodStubCode : null),
  };
}

const zodStubCode = `
const fail = () => { throw new Error('Schemas are validated on the server only.'); };
export const z = new Proxy(function () {}, {
  get: (_, name) => (/parse/i.test(String(name)) ? fail : z),
  apply: () => z,
});`;

/** Leaves out the instrumentation of react-router, which needs an option that the app never sets: 1 kB of every screen. */
function noInstrumentation(): Plugin {
  const id = '\0no-instrumentation';
  const names = [
    'consumeInstrumentationClientResultMetaReceiver',
    'getRouteInstrumentationUpdates',
    'instrumentClientSideRouter',
  ];
  return {
    name: 'no-instrumentation',
    apply: 'build',
    applyToEnvironment: isClient,
    enforce: 'pre',
    resolveId: (source, importer) =>
      source === './instrumentation.js' && importer?.includes('/react-router/') ? id : null,
    load: (module) =>
      module === id ? names.map((name) => `export const ${name} = () => undefined;`).join('\n') : null,
  };
}

/** Removes the keys of the shapes in icons: an icon never changes, and random text does not compress. */
function iconsWithoutKeys(): Plugin {
  return {
    name: 'icons-without-keys',
    apply: 'build',
    applyToEnvironment: isClient,
    transform: {
      filter: { id: /\/lucide-react\/.*\/icons\/[\w-]+\.mjs$/ },
      handler: (code) => code.replaceAll(/,?\s*key: "\w+"/g, ''),
    },
  };
}

/** Reduces contracts to the data that browsers need: without schemas, functions and what only the server reads. */
function bareContracts(): Plugin {
  const serverOnly = new Set(['summary', 'status', 'writes', 'viewer', 'takesForms']);
  const bare = (key: string, value: unknown) => {
    if (serverOnly.has(key) || value instanceof z.ZodType) return undefined;
    // The client only checks whether these are present.
    return key === 'document' || key === 'upload' ? 1 : value;
  };
  return {
    name: 'bare-contracts',
    apply: 'build',
    applyToEnvironment: isClient,
    enforce: 'pre',
    async load(id) {
      if (!/\/features\/(\w+\/contract|contracts)\.ts$/.test(id)) return null;
      const values = Object.entries((await import(id)) as Record<string, unknown>);
      return values
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value, bare)};`)
        .join('\n');
    },
  };
}

/** Generates /sw.js with the list of files to cache. Its version is a hash of the worker, the file names and the pages. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    applyToEnvironment: isClient,
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const source = await readFile('src/app/web/service-worker.ts', 'utf8');
      const { code } = await transformWithOxc(source, 'service-worker.ts');
      const pages = Object.values(bundle).map((file) =>
        file.fileName.endsWith('.html') && 'source' in file ? String(file.source) : '',
      );
      const cached = Object.keys(bundle).filter((name) => /^assets\/.*\.(js|css)$/.test(name));
      const files = ['/icon.svg', ...cached.sort().map((name) => `/${name}`)];
      const version = createHash('sha256')
        .update([code, ...files, ...pages].join('\n'))
        .digest('hex')
        .slice(0, 12);
      const header = `const build = ${JSON.stringify({ version, files })};\n`;
      this.emitFile({ type: 'asset', fileName: 'sw.js', source: header + code });
    },
  };
}

/** Blocks rendering until the small first script has checked whether a user is logged in. */
function scriptFirst(): Plugin {
  return {
    name: 'script-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace('<script ', '<script blocking="render" '),
    },
  };
}

export default defineConfig({
  root: 'src/app/web',
  plugins: [
    zodStub(),
    noInstrumentation(),
    iconsWithoutKeys(),
    bareContracts(),
    react(),
    tailwindcss(),
    compressed(),
    serviceWorker(),
    scriptFirst(),
  ],
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      '/api/': { target: 'http://127.0.0.1:3000', ws: true },
      // The page of answer links, which only the server renders.
      '^/(answer|assets)/': 'http://127.0.0.1:3000',
    },
  },
  // `vite build` builds both the browser files and the bundle for server-side rendering.
  builder: {},
  environments: {
    client: {
      build: {
        outDir: '../../../dist/web',
        emptyOutDir: true,
        manifest: true,
        // The content security policy forbids inline assets.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          input: ['index.html', 'landing.html', 'answer.html', 'main.tsx'].map(
            (name) => `src/app/web/${name}`,
          ),
          output: {
            chunkFileNames: ({ name }) => `assets/${name.split('~', 1)[0]}-[hash].js`,
            codeSplitting: {
              groups: [
                // The libraries of the initial load: they change rarely, so they stay cached.
                { name: 'libraries', tags: ['$initial'], test: /node_modules/, priority: 2 },
                // The shared code that runs before the first paint.
                {
                  name: 'start',
                  test: /web\/(session|install|trusted-types|early-fetch|hydration|queued-interactions)\.ts$|preload-helper/,
                  priority: 1,
                },
                // What a visitor wanted before the login, for the public pages.
                {
                  name: 'after-login',
                  test: /web\/after-login\.ts$|invites\/rules\.ts$|landing\/arrival-/,
                  priority: 1,
                },
                // The rest of the initial load.
                {
                  name: 'main',
                  tags: ['$initial'],
                  test: /(?<!web\/(landing|start)|ui\/format|wire\/cached-format)\.tsx?$/,
                  priority: 1,
                },
                // Error messages, for screens that show API errors.
                { name: 'explain', test: /web\/explain\.ts$|wire\/errors\.ts$/, priority: 1 },
                // The data of contracts, which few screens need.
                { name: 'contract', test: /features\/\w+\/contract\.ts$/, priority: 3 },
                // The texts that home and the pages around it show. First, because a group takes what its modules import.
                {
                  name: 'messages',
                  test: /home-messages\.ts$|(wire|ui|src\/web|app\/web)\/messages\.ts$/,
                  priority: 4,
                },
                // The texts of the page of a club, of that of an event, and of each other feature.
                {
                  name: 'club-messages',
                  test: /(clubs|invites|members|updates)\/messages\.ts$/,
                  priority: 4,
                },
                { name: 'event-messages', test: /(answers|events|polls|slots)\/messages\.ts$/, priority: 4 },
                {
                  name: (id) => `${/(\w+)\/messages\.ts$/.exec(id)?.[1] ?? ''}-messages`,
                  debugName: 'feature-messages',
                  test: /features\/\w+\/messages\.ts$/,
                  priority: 3,
                },
                // Times and names, for screens with events.
                {
                  name: 'format',
                  test: /ui\/format\.ts$|wire\/cached-format\.ts$|features\/(events|users)\/rules\.ts$/,
                  priority: 1,
                },
                // The icons that home shares with the notices of forms.
                {
                  name: 'icons',
                  test: /icons\/(circle-check|triangle-exclamation-point)\.mjs$/,
                  priority: 2,
                },
                // Icons of home that forms have too.
                {
                  name: 'home-icons',
                  test: /icons\/(check|chevron-down|plus|calendar-plus|calendar-days|users-round)\.mjs$/,
                  priority: 2,
                },
                // Fields, notices and drafts, for screens with a form.
                {
                  name: 'form',
                  test: /icons\/minus\.mjs$|ui\/(Checkbox|Field|NumberStepper|Select|TextInput|TextArea|control-looks|Banner|NotLoaded)\.tsx?$|web\/use(Draft|FailureToast)\.ts$/,
                  priority: 1,
                },
                // The names of notifications, for the settings and the pages that unsubscribe.
                { name: 'notification-kinds', test: /notifications\/rules\.ts$/, priority: 1 },
                // The card around forms before the login, for pages that are no screens of the app.
                { name: 'entry-card', test: /auth\/web\/EntryCard\.tsx$|ui\/Rich\.tsx$/, priority: 1 },
                // The times of events, for forms.
                { name: 'times', test: /events\/form-rules\.ts$|wire\/wall-time\.ts$/, priority: 1 },
                // Links in texts, for pages that show what people wrote.
                { name: 'linked-text', test: /ui\/(LinkedText|linkify)\.tsx?$/, priority: 1 },
                // What the frame of the app shares with a few screens.
                {
                  name: 'frame',
                  test: /ui\/(Menu|SegmentedControl)\.tsx$|web\/(useSession|useNow|useNeedsNetwork)\.ts$|notifications\/web\/useInbox\.ts$|icons\/(bell|crown|log-out|user-round)\.mjs$/,
                  priority: 1,
                },
                // Queries, for screens with data.
                {
                  name: 'queries',
                  test: /query-core\/.*\/queryObserver|react-query\/.*\/use(Suspense)?Query\.js$/,
                  priority: 2,
                },
                // What home shares with most screens that show events and people.
                {
                  name: 'cards',
                  test: /(answers|members)\/rules\.ts$|answers\/web\/useAnswer\.ts$|events\/web\/(useEvent\.ts|(AttendButton|DateTile|EventTags)\.tsx)$|ui\/(Avatar|Badge|EmptyState|IconButton|Section|Skeleton|Tooltip|identity)\.tsx?$/,
                  priority: 1,
                },
                // Dialogs and their library, which home loads when one opens.
                { name: 'dialog', test: /ui\/(Dialog|ConfirmDialog)\.tsx$/, priority: 1 },
                // Forms and buttons that send something, none of which is on home.
                {
                  name: 'submit',
                  test: /web\/useSubmit\.ts$|query-core\/.*\/mutationObserver|react-query\/.*\/useMutation/,
                  priority: 1,
                },
                // Few forms take pictures.
                {
                  name: 'pictures',
                  test: /media\/web\/(PictureFile\.tsx|useDrop\.ts)$|icons\/(image-plus|lock|trash)\.mjs$/,
                  priority: 1,
                },
                // What every page loads after it is usable, and what it shares with the page of an event.
                { name: 'duration', test: /duration\.ts$/, priority: 2 },
                { name: 'deferred', test: /web\/(deferred|offline-cache|WaitNotice)\.tsx?$/, priority: 1 },
                // The head of pages below home.
                {
                  name: 'page-header',
                  test: /ui\/(PageHeader|LazyConfirmDialog)\.tsx$|web\/useBack\.ts$|icons\/(arrow-left|pencil)\.mjs$/,
                  priority: 1,
                },
                // Code shared by several screens, in a few files rather than one per icon.
                { name: 'shared', minShareCount: 4, entriesAware: true, entriesAwareMergeThreshold: 40_000 },
              ],
            },
          },
        },
      },
    },
    ssr: {
      resolve: { noExternal: true },
      define: { 'process.env.NODE_ENV': '"production"' },
      build: {
        outDir: '../../../dist/server',
        emptyOutDir: true,
        copyPublicDir: false,
        rolldownOptions: { input: 'src/app/web/prerender.tsx' },
      },
    },
  },
});
