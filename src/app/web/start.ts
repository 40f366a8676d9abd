import '#ui/theme.css';
import { startEarlyFetches } from '#web/early-fetch.ts';
import { queueInteractions } from '#web/queued-interactions.ts';
import { isLoggedIn } from '#web/session.ts';
import { putMarkup } from '#web/trusted-types.ts';

/** What runs before the first paint. The page has what the server has drawn of the screen, and the app follows. */
const root = document.getElementById('root');
const { pathname } = location;

/** The second frame begins when the first one is on the screen. */
const painted = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));

// The frame of the app is for whoever is logged in, the login for the others; without a network either may be the kept page.
const fitting = isLoggedIn() ? '/app' : '/login';
if (root?.dataset['drawn'] !== fitting || !pathname.startsWith(fitting)) root?.replaceChildren();
queueInteractions();
void begin();

/** Nothing takes the line from what is painted: the app is asked for when that stands there. */
async function begin(): Promise<void> {
  const html = await startEarlyFetches(pathname);
  if (html && root) putMarkup(root, html);
  // A page in the background is not painted.
  if (root?.firstElementChild && document.visibilityState === 'visible') await painted();
  for (const href of root?.dataset['scripts']?.match(/\S+/g) ?? []) {
    const link = Object.assign(document.createElement('link'), {
      rel: 'modulepreload',
      crossOrigin: '',
      href,
    });
    document.head.append(link);
  }
  // To read the libraries is enough for one turn.
  await import('react');
  await import('./main.tsx');
}
