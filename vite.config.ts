import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, transformWithOxc, type Plugin } from 'vite';
import { z } from 'zod';
import packages from './package.json' with { type: 'json' };

/** The oldest supported browsers, as the compilers of scripts and styles name them: 'chrome109'. */
const target = packages.browserslist.map((browser) => browser.replace('ios_saf', 'ios').replace(' >= ', ''));

const isClient = ({ name }: { name: string }) => name === 'client';

/** Writes a .br and a .gz beside every text file except HTML, which the server fills in. */
function compressed(): Plugin {
  const compressible = /\.(js|css|svg|json|txt|webmanifest)$/;
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

/** Reduces contracts to the data that browsers need: without schemas, functions and what only the server reads. */
function bareContracts(): Plugin {
  const serverOnly = new Set([
    'summary',
    'errors',
    'status',
    'writes',
    'writesMany',
    'ownTransactions',
    'unstored',
    'viewer',
    'takesForms',
    'page',
  ]);
  const bare = (key: string, value: unknown) => {
    if (serverOnly.has(key) || value instanceof z.ZodType) return undefined;
    // The client treats an endpoint without it as one for users, as most are.
    if (key === 'who' && value === 'user') return undefined;
    // The client only checks whether these are present.
    return key === 'document' || key === 'upload' ? 1 : value;
  };
  return {
    name: 'bare-contracts',
    apply: 'build',
    applyToEnvironment: isClient,
    enforce: 'pre',
    async load(id) {
      if (!/\/features\/([\w/]+\/(\w+-)?contract|contracts)\.ts$/.test(id)) return null;
      const values = Object.entries((await import(id)) as Record<string, unknown>);
      return values
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value, bare)};`)
        .join('\n');
    },
  };
}

/**
 * Generates /licenses.txt with the licences of all packages in the bundle or on the server, and of the font. `build.license` of Vite
 * lists neither the packages of the server nor Tailwind, whose styles are in the bundle.
 */
function licenses(): Plugin {
  return {
    name: 'licenses',
    apply: 'build',
    applyToEnvironment: isClient,
    async generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const bundled = modules.flatMap((id) => /^\/.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
      const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
        packages: Record<string, { dev?: boolean }>;
      };
      // Packages for other systems are in the lock file but not installed.
      const onServer = Object.keys(lock.packages).filter(
        (folder) => folder && !lock.packages[folder]?.dev && existsSync(folder),
      );
      const folders = new Set([...bundled, 'node_modules/tailwindcss', ...onServer]);
      const texts = await Promise.all([...folders].map(licenseOf));
      texts.push(`Figtree (OFL-1.1)\n\n${(await readFile('src/ui/fonts/LICENSE', 'utf8')).trim()}`);
      const source = [...new Set(texts)].toSorted().join(`\n\n${'='.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: `${source}\n` });
    },
  };
}

/** The name, version and licence of a package, with the texts of its licence and notices. */
async function licenseOf(folder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  const files = (await readdir(folder, { withFileTypes: true })).filter(
    (file) => file.isFile() && /^(licen[cs]e|copying|notice)/i.test(file.name),
  );
  const texts = await Promise.all(files.map(({ name }) => readFile(join(folder, name), 'utf8')));
  const title = `${manifest.name} ${manifest.version} (${manifest.license})`;
  if (texts.length === 0)
    texts.push(`Without a licence file: https://www.npmjs.com/package/${manifest.name}`);
  return [title, ...texts.map((text) => text.trim())].join('\n\n');
}

/** Catalogues that the browser does not use: those of emails, notifications, calendars, lists and the pages of links in emails. */
const ofServer = /(^|\.)(notices|mail|feed|csv|page|previews)\.\w+$|^app\.(answer|read)\./;

/** Catalogues of single pages and dialogs, which the other pages do not need. */
const ofSinglePages =
  /^(app\.(address|landing|privacy)|account|clubs\.form|events\.(absences|form|answers\.list|questions\.form|reach)|members\.mute|notifications\.form|push|sections|updates\.(form|reads)|users)\.\w+$/;

const languageFile = /^(.*\/src\/languages\/\w+\.json)(\?single)?$/;

/**
 * Leaves out texts that the browser does not use, and groups the others by catalogue, which makes the file smaller. The
 * texts of single pages are in a file of their own.
 */
function languages(): Plugin {
  return {
    name: 'languages',
    async load(id) {
      const [, file, isSingle] = languageFile.exec(id) ?? [];
      if (!file) return undefined;
      const texts = Object.entries(JSON.parse(await readFile(file, 'utf8')) as Record<string, string>);
      const isWanted = (key: string) =>
        !isClient(this.environment) ||
        (!ofServer.test(key) && ofSinglePages.test(key) === (isSingle !== undefined));
      const grouped: Record<string, Record<string, string>> = {};
      for (const [key, text] of texts.filter(([key]) => isWanted(key))) {
        const dot = key.lastIndexOf('.');
        (grouped[key.slice(0, dot)] ??= {})[key.slice(dot + 1)] = text;
      }
      return { code: `export default ${JSON.stringify(grouped)};`, moduleType: 'js' };
    },
    // The texts of such a catalogue would be English in every language.
    generateBundle(_options, bundle) {
      if (!isClient(this.environment)) return;
      for (const file of Object.values(bundle))
        for (const [, catalogue] of 'code' in file
          ? file.code.matchAll(/["'`]([a-z]\w*(?:\.\w+)*)["'`],\{/g)
          : [])
          if (ofServer.test(`${catalogue}.key`))
            this.error(`The browser uses ${catalogue}, which is left out of the texts of languages.`);
    },
  };
}

/** Whether a file of the bundle has the texts of a language. */
const isLanguage = (file: object) =>
  'facadeModuleId' in file && languageFile.test(String(file.facadeModuleId));

/** Generates /sw.js with the lists of files to cache. Its version is a hash of the worker, the file names and the pages. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    applyToEnvironment: isClient,
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const source = await readFile('src/app/web/service-worker.ts', 'utf8');
      const { code } = await transformWithOxc(source, 'service-worker.ts', { target });
      const pages = Object.values(bundle).map((file) =>
        file.fileName.endsWith('.html') && 'source' in file ? String(file.source) : '',
      );
      const assets = Object.values(bundle).filter(({ fileName }) => /^assets\/.*\.(js|css)$/.test(fileName));
      const pathsOf = (chunks: typeof assets) => chunks.map(({ fileName }) => `/${fileName}`).sort();
      const files = ['/icon.svg', ...pathsOf(assets.filter((chunk) => !isLanguage(chunk)))];
      const texts = pathsOf(assets.filter(isLanguage));
      const version = createHash('sha256')
        .update([code, ...files, ...texts, ...pages].join('\n'))
        .digest('hex')
        .slice(0, 12);
      const header = `const build = ${JSON.stringify({ version, files, texts })};\n`;
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

const pages = ['index.html', 'landing.html', 'answer.html', 'main.tsx'];

/**
 * The screens that the server renders, except the members page. Each screen is an entry, so that the build knows which
 * scripts the screen loads at first.
 */
const screens = [
  'layout/AppLayout.tsx',
  'pages/HomePage.tsx',
  '../../features/auth/web/LoginPage.tsx',
  '../../features/clubs/web/ClubPage.tsx',
  '../../features/events/pages/web/EventPage.tsx',
];

export default defineConfig({
  root: 'src/app/web',
  plugins: [
    zodStub(),
    bareContracts(),
    react(),
    tailwindcss(),
    licenses(),
    languages(),
    compressed(),
    serviceWorker(),
    scriptFirst(),
  ],
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      '/api/': { target: 'http://127.0.0.1:3000', ws: true },
      // The pages of links in emails, which only the server renders.
      '^/(answer|read|assets)/': 'http://127.0.0.1:3000',
    },
  },
  // `vite build` builds both the browser files and the bundle for server-side rendering.
  builder: {},
  environments: {
    client: {
      build: {
        outDir: '../../../dist/web',
        target,
        emptyOutDir: true,
        manifest: true,
        // The content security policy forbids inline assets.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          input: [...pages, ...screens].map((name) => `src/app/web/${name}`),
          output: {
            codeSplitting: {
              // Chunks are defined by rules, not by module names. Small chunks are not merged, because merging produces
              // chunks that import each other.
              groups: [
                // Code that runs before the first paint, with the helper that loads later chunks.
                { name: 'first', test: /\/src\/web\/first\/|preload-helper/, priority: 4 },
                // Code that the entries load at first: libraries, and modules of the app that at least two entries
                // share.
                { name: 'libraries', tags: ['$initial'], test: /\/node_modules\//, priority: 3 },
                { name: 'app', tags: ['$initial'], test: /\.tsx?$/, minShareCount: 2, priority: 2 },
                // Dialogs with their libraries, which pages load behind a button.
                { name: 'dialog', test: /\/ui\/(Confirm)?Dialog\.tsx$/, priority: 2 },
                // Modules that other pages and dialogs share.
                { name: 'own', test: /\.tsx?$/, minShareCount: 7, priority: 1 },
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
        // Pages refer to the same files as the scripts of the browser.
        assetsInlineLimit: 0,
        copyPublicDir: false,
        rolldownOptions: { input: 'src/app/web/prerender.tsx' },
      },
    },
  },
});
