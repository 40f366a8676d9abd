import '#ui/theme.css';
import { renderedLook, startEarlyFetches } from '#web/first/early-fetch.ts';
import { watchInput } from '#web/first/install.ts';
import { isInOtherLanguage, preloadTexts } from '#web/first/page-look.ts';
import { queueInteractions } from '#web/first/queued-interactions.ts';
import { isLoggedIn } from '#web/first/session.ts';
import { putMarkup } from '#web/first/trusted-types.ts';

/** Runs before the first paint. The page already contains server-rendered markup; the app is loaded afterwards. */
const root = document.getElementById('root');
const { pathname, search } = location;

/**
 * Resolves after a paint. The second frame callback runs once the first frame is rendered, and the browser reports the
 * page's first paint when that is on the screen. The timer is for browsers that do not report paints.
 */
const painted = () =>
  new Promise((resolve) => {
    const firstPaint = () => {
      new PerformanceObserver(resolve).observe({ type: 'paint', buffered: true });
      setTimeout(resolve, 500);
    };
    requestAnimationFrame(() => requestAnimationFrame(firstPaint));
  });

// The markup is the app frame for logged-in users, otherwise the login page. Offline, the cached markup may be wrong.
// The login page may be in another language than the user's; the app frame has no words.
const expectedPage = isLoggedIn() ? '/app' : '/login';
const isExpected = root?.dataset['rendered'] === expectedPage && pathname.startsWith(expectedPage);
if (!isExpected || (expectedPage === '/login' && isInOtherLanguage())) root?.replaceChildren();
watchInput();
queueInteractions();
void loadApp();

/** Loads the app after the first paint, so that its download does not compete with the visible content. */
async function loadApp(): Promise<void> {
  const scripts = root?.dataset['scripts']?.match(/\S+/g) ?? [];
  // The page names scripts only if the server renders its screen.
  const screen = await startEarlyFetches(pathname + search, scripts.length > 0);
  if (screen && root) putMarkup(root, screen.html);
  // A background page is never painted.
  if (root?.firstElementChild && document.visibilityState === 'visible') await painted();
  for (const href of [...scripts, ...(screen?.scripts ?? [])]) {
    const link = Object.assign(document.createElement('link'), {
      rel: 'modulepreload',
      crossOrigin: '',
      href,
    });
    document.head.append(link);
  }
  // In parallel, because the app can't be shown without its texts.
  preloadTexts(renderedLook());
  // Import the libraries first, in their own task, because evaluating them takes long.
  await import('react');
  await import('./main.tsx');
}
