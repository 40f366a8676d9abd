/** The relevant part of Vite's build manifest. */
export type Chunks = Record<string, { file: string; imports?: string[] }>;

const features = '../../features';
const frame = 'layout/AppLayout.tsx';

/** Chunks of the most requested screens, in addition to those of every page. The first match counts. */
const screens: [path: RegExp, ...parts: string[]][] = [
  [/^\/login\/?$/, `${features}/auth/web/LoginPage.tsx`],
  [/^\/app\/?$/, frame, 'pages/HomePage.tsx'],
  [/^\/app\/clubs\/[^/]+\/?$/, frame, `${features}/clubs/web/ClubPage.tsx`],
  [/^\/app\/events\/[^/]+\/?$/, frame, `${features}/events/web/EventPage.tsx`],
  [/^\/app\//, frame],
];

/** All scripts that a page loads at first. */
export function scriptsOf(path: string, chunks: Chunks): string[] {
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
    const [, ...parts] = screens.find(([pattern]) => pattern.test(path)) ?? [];
    for (const part of ['index.html', 'main.tsx', ...(parts as string[])]) collect(part);
  }
  return [...found];
}
