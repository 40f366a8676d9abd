/** The paths of all pages except the landing page and the answer page. Each path is a route of the server. */
export const pagePaths = [
  '/login',
  '/app',
  '/app/*',
  '/privacy-policy',
  '/thankyou',
  '/confirm',
  '/revert-email',
  '/unsubscribe',
];

/** The paths below /app at which the app has a screen. */
export const screenPaths = [
  '/app/new-club',
  '/app/clubs/:slug',
  '/app/clubs/:slug/edit',
  '/app/clubs/:slug/breaks',
  '/app/clubs/:slug/attendance',
  '/app/clubs/:slug/members',
  '/app/clubs/:slug/sections',
  '/app/clubs/:slug/sections/:section',
  '/app/clubs/:slug/log',
  '/app/clubs/:slug/updates',
  '/app/clubs/:slug/updates/:update/edit',
  '/app/clubs/:slug/new-update',
  '/app/clubs/:slug/new-event',
  '/app/:slug/new-event',
  '/app/events',
  '/app/events/:slug',
  '/app/events/:slug/answers',
  '/app/events/:slug/check-in',
  '/app/events/edit/:slug',
  '/app/series/:slug',
  '/app/away',
  '/app/profile',
  '/app/notifications',
  '/app/settings/notifications',
  '/app/feedback',
  '/app/club/:slug/:invite',
];

const paths = [...pagePaths.filter((path) => !path.includes('*')), ...screenPaths];
const pagePattern = new RegExp(`^(${paths.join('|').replaceAll(/:\w+/g, '[^/]+')})/?$`, 'i');

/** Whether the app has a page at a path. Like the router of the app, it ignores case and a slash at the end. */
export const isPage = (path: string): boolean => pagePattern.test(path);

/** The relevant part of Vite's build manifest. */
export type Chunks = Record<string, { file: string; imports?: string[] }>;

/** All scripts that a page loads at first. `sources` are the source files of a server-rendered screen. */
export function scriptsOf(path: string, chunks: Chunks, sources: readonly string[]): string[] {
  const found = new Set<string>();
  const collect = (name: string) => {
    const chunk = chunks[name];
    if (!chunk) throw new Error(`The build has no ${name}.`);
    if (found.has(chunk.file)) return;
    found.add(chunk.file);
    for (const imported of chunk.imports ?? []) collect(imported);
  };
  if (path === '/') collect('landing.html');
  else {
    for (const part of ['index.html', 'main.tsx']) collect(part);
    if (/^\/login\/?$/.test(path)) collect('../../features/auth/web/LoginPage.tsx');
    if (/^\/app(\/|$)/.test(path)) collect('layout/AppLayout.tsx');
    for (const source of sources) collect(source);
  }
  return [...found];
}
