/// <reference lib="webworker" />

/** Prepended to this file by the build. */
declare const build: { version: string; files: string[]; texts: string[] };

// This file is a script. An import would make it a module, which not all browsers accept here.
// oxlint-disable-next-line typescript/consistent-type-imports
type PushMessage = import('#features/push/contract.ts').PushMessage;

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const cacheName = `shell-${build.version}`;

/** The pages that open offline: the landing page, one page for all links of emails, and the app shell for other URLs. */
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

worker.addEventListener('push', (event) => {
  if (event.data) event.waitUntil(show(event.data.json() as PushMessage));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(press(event.notification.data as PushMessage, event.action));
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
      path === landing ? landing : /^\/(answer|read)\//.test(path) ? offlineAnswerPage : shell,
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

/** The options of a notification that some browsers have and TypeScript does not know. */
interface Options extends NotificationOptions {
  renotify?: boolean;
  actions?: { action: string; title: string }[];
}

/** Shows one notification for a push. A page that waits for a test is told. */
async function show(message: PushMessage, isAnswered = false): Promise<void> {
  const { title, body, tag, language, answers, test } = message;
  const options: Options = {
    body,
    tag,
    lang: language,
    dir: 'auto',
    icon: '/icons/icon-192.png',
    data: message,
    actions: answers?.choices.map(({ action, title }) => ({ action, title })) ?? [],
    // A newer notification about the same thing alerts again. The result of a press does not.
    renotify: !isAnswered,
    silent: isAnswered,
  };
  await worker.registration.showNotification(title, options);
  if (!test) return;
  for (const tab of await worker.clients.matchAll({ type: 'window' }))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have it, not their clients
    tab.postMessage({ test });
}

/** Handles a press on a notification, or on one of its buttons. */
async function press(message: PushMessage, action: string): Promise<void> {
  const { answers, ...rest } = message;
  const choice = answers?.choices.find((each) => each.action === action);
  if (!answers || !choice) return open(message);
  const saved = await answer(answers.link, action);
  const { done, waiting = done } = choice;
  const body = !saved ? answers.failed : saved === 'waiting' ? waiting : done;
  return show({ ...rest, body }, true);
}

/** Answers an event through its answer link. Returns the answer that was saved, if any. */
async function answer(link: string, action: string): Promise<string | undefined> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ answer: action }),
  };
  try {
    const response = await fetch(ownPath(link), request);
    return response.ok
      ? ((await response.json()) as { data: { my_answer: string } }).data.my_answer
      : undefined;
  } catch {
    return undefined;
  }
}

/** Opens the page of a notification in an open tab of the app, or else in a new one. */
async function open({ path, notification }: PushMessage): Promise<void> {
  const page = ownPath(path);
  const tabs = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const tab = tabs.find(({ url }) => /^\/app(\/|$)/.test(new URL(url).pathname));
  if (tab && (await opensIn(tab, { open: page, notification }))) return void (await tab.focus());
  await worker.clients.openWindow(notification ? `${page}#notification=${notification}` : page);
}

/** Milliseconds in which a tab has to answer. One that is frozen, or of an older version, does not. */
const tabTimeout = 500;

/** Asks a tab to open a page. Its router does that without losing what is typed in other forms. */
const opensIn = (
  tab: Client,
  message: { open: string; notification: string | undefined },
): Promise<boolean> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => resolve(true));
    port1.start();
    setTimeout(resolve, tabTimeout, false);
    tab.postMessage(message, [port2]);
  });

/** The path of a page of this app: a push opens and calls nothing else. */
function ownPath(path: string): string {
  const url = path.startsWith('/') ? new URL(path, worker.location.origin) : undefined;
  return url?.origin === worker.location.origin ? url.pathname + url.search : shell;
}
