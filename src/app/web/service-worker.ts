/// <reference lib="webworker" />

/** Prepended to this file by the build. */
declare const build: { version: string; files: string[]; texts: string[] };

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const cacheName = `shell-${build.version}`;

/** The pages that open offline: the landing page, one page for all answer links, and the app shell for other URLs. */
const landing = '/';
const offlineAnswerPage = '/answer/offline';
const shell = '/app';

worker.addEventListener('install', (event) => {
  event.waitUntil(cacheFiles().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(deleteOldCaches().then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== worker.location.origin || pathname.startsWith('/api')) return;
  if (request.mode === 'navigate') event.respondWith(page(request, pathname));
  else if (build.files.includes(pathname)) event.respondWith(file(request));
  else if (build.texts.includes(pathname)) event.respondWith(texts(request));
});

async function cacheFiles(): Promise<void> {
  const cache = await caches.open(cacheName);
  await cache.addAll([
    // File names contain a content hash, so the HTTP cache may serve them.
    ...build.files,
    new Request(landing, { cache: 'reload' }),
    new Request(offlineAnswerPage, { cache: 'reload' }),
    new Request(shell, { cache: 'reload' }),
  ]);
}

/** An update also deletes the stored data of screens, whose shape may have changed. A first installation keeps it. */
async function deleteOldCaches(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name !== cacheName);
  const isUpdate = names.some((name) => name.startsWith('shell-'));
  await Promise.all(
    names.filter((name) => isUpdate || !name.startsWith('screens-')).map((name) => caches.delete(name)),
  );
}

async function page(request: Request, path: string): Promise<Response> {
  try {
    return await fetch(request);
  } catch (failure) {
    const cached = await caches.match(
      path === landing ? landing : path.startsWith('/answer/') ? offlineAnswerPage : shell,
    );
    if (!cached) throw failure;
    return cached;
  }
}

const file = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request);

/** The texts of a language are stored when a page needs them, because a reader needs one language only. */
async function texts(request: Request): Promise<Response> {
  const cached = await caches.match(request);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) await (await caches.open(cacheName)).put(request, response.clone());
  return response;
}
