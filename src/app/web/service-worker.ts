/// <reference lib="webworker" />

/** Written in front of this file by the build. */
declare const build: { version: string; files: string[] };

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const cacheName = `shell-${build.version}`;

/** The pages that open without a network: the landing page as itself, every other address as the app. */
const landing = '/';
const shell = '/app';

worker.addEventListener('install', (event) => {
  event.waitUntil(keepFiles().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(forgetOlder().then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== worker.location.origin || pathname.startsWith('/api')) return;
  if (request.mode === 'navigate') event.respondWith(page(request, pathname));
  else if (build.files.includes(pathname)) event.respondWith(file(request));
});

async function keepFiles(): Promise<void> {
  const cache = await caches.open(cacheName);
  await cache.addAll([
    // Their names change with their content, so that the browser's own copies will do.
    ...build.files,
    new Request(landing, { cache: 'reload' }),
    new Request(shell, { cache: 'reload' }),
  ]);
}

async function forgetOlder(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)));
}

async function page(request: Request, path: string): Promise<Response> {
  try {
    return await fetch(request);
  } catch (failure) {
    const kept = await caches.match(path === landing ? landing : shell);
    if (!kept) throw failure;
    return kept;
  }
}

const file = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request);
