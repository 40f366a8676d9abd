import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { contracts } from './src/features/contracts.ts';
import { defineConfig, transformWithOxc, type Plugin } from 'vite';

const inBrowser = ({ name }: { name: string }) => name === 'client';

/** Writes a .br and a .gz beside every text file but the page itself, which the server fills in. */
function compressed(): Plugin {
  const worthIt = /\.(js|css|svg|json|webmanifest)$/;
  const brotli = promisify(brotliCompress);
  const zip = promisify(gzip);
  return {
    name: 'compressed',
    apply: 'build',
    applyToEnvironment: inBrowser,
    async writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((file) => worthIt.test(file))) {
        const file = join(dir, name);
        const plain = await readFile(file);
        await writeFile(
          `${file}.br`,
          await brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
        );
        await writeFile(`${file}.gz`, await zip(plain, { level: 9 }));
      }
    },
  };
}

/**
 * The browser reads methods and paths from the contracts and never checks a shape, so it gets no zod: each shape is a
 * stand-in that swallows every call. Asking it to parse is a mistake, and says so.
 */
function shapeless(): Plugin {
  const id = '\0shapeless';
  return {
    name: 'shapeless',
    enforce: 'pre',
    resolveId: (source) => (source === 'zod' ? id : null),
    load: (module) => (module === id ? standIn : null),
  };
}

const standIn = `
const refuse = () => { throw new Error('Shapes are checked on the server only.'); };
export const z = new Proxy(function () {}, {
  get: (_, name) => (/parse/i.test(String(name)) ? refuse : z),
  apply: () => z,
});`;

/** What the server alone needs of a contract, its shapes above all, stays there. */
function bareContracts(): Plugin {
  const id = '\0contracts';
  const left = new Set([
    'input',
    'output',
    'summary',
    'status',
    'writes',
    'shared',
    'takesForms',
    'versioned',
  ]);
  const bare = (endpoint: object) =>
    Object.fromEntries(
      Object.entries(endpoint)
        .filter(([key]) => !left.has(key))
        // Of these it is enough to know that they are there.
        .map(([key, value]) => [key, key === 'document' || key === 'upload' ? 1 : (value as unknown)]),
    );
  return {
    name: 'bare-contracts',
    apply: 'build',
    applyToEnvironment: inBrowser,
    enforce: 'pre',
    resolveId: (source) => (source === '#features/contracts.ts' ? id : null),
    load(module) {
      if (module !== id) return null;
      const nouns = Object.entries(contracts).map(([noun, contract]) => [
        noun,
        Object.fromEntries(Object.entries(contract).map(([name, endpoint]) => [name, bare(endpoint)])),
      ]);
      return `export const contracts = ${JSON.stringify(Object.fromEntries(nouns))};`;
    },
  };
}

/** Makes /sw.js, which carries the names of the files to keep; any change of them or of the pages makes it another. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    applyToEnvironment: inBrowser,
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const source = await readFile('src/app/web/service-worker.ts', 'utf8');
      const { code } = await transformWithOxc(source, 'service-worker.ts');
      const pages = Object.values(bundle).map((file) =>
        file.fileName.endsWith('.html') && 'source' in file ? String(file.source) : '',
      );
      const kept = Object.keys(bundle).filter((name) => /^assets\/.*\.(js|css)$/.test(name));
      const files = ['/icon.svg', ...kept.sort().map((name) => `/${name}`)];
      const version = createHash('sha256')
        .update([code, ...files, ...pages].join('\n'))
        .digest('hex')
        .slice(0, 12);
      const carried = `const build = ${JSON.stringify({ version, files })};\n`;
      this.emitFile({ type: 'asset', fileName: 'sw.js', source: carried + code });
    },
  };
}

/** Holds the first paint back until the first script, which is small, has seen who is logged in. */
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
    shapeless(),
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
    proxy: { '/api/': { target: 'http://127.0.0.1:3000', ws: true } },
  },
  // `vite build` makes both: the files for the browser, and what the server makes the landing page with.
  builder: {},
  environments: {
    client: {
      build: {
        outDir: '../../../dist/web',
        emptyOutDir: true,
        manifest: true,
        // Everything is a file of its own: the security policy allows nothing inline.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          input: ['index.html', 'landing.html', 'main.tsx'].map((name) => `src/app/web/${name}`),
          output: {
            chunkFileNames: ({ name }) => `assets/${name.split('~', 1)[0]}-[hash].js`,
            codeSplitting: {
              groups: [
                // What every screen starts from: libraries change seldom, so they stay in caches.
                { name: 'libraries', tags: ['$initial'], test: /node_modules/, priority: 2 },
                // What runs before the first paint, beside the lines of each page.
                {
                  name: 'start',
                  test: /web\/(session|install|trusted-types|early-fetch|hydration|queued-interactions)\.ts$|preload-helper/,
                  priority: 1,
                },
                // What they all go on with.
                { name: 'main', tags: ['$initial'], test: /(?<!web\/(landing|start))\.tsx?$/, priority: 1 },
                // The sentences of all error codes, for screens on which something can fail.
                { name: 'explain', test: /web\/explain\.ts$|wire\/errors\.ts$/, priority: 1 },
                // What several screens share, in a few files rather than one for every icon.
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
