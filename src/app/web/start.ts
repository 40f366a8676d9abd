import '#ui/theme.css';
import { askAhead } from './ahead.ts';
import { holdForm } from './early-form.ts';
import { isLoggedIn } from './session.ts';

/** What runs before the first paint. The page has what the server has drawn of the screen, and the app follows. */
const root = document.getElementById('root');
const { pathname } = location;

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

// The frame of the app is for whoever is logged in, the login for the others; without a network either may be the kept page.
const fitting = isLoggedIn() ? '/app' : '/login';
if (root?.dataset['drawn'] !== fitting || !pathname.startsWith(fitting)) root?.replaceChildren();
askAhead(pathname);
if (pathname === '/login') holdForm();

// A page in the background is not painted.
const isPainted = root?.firstElementChild && document.visibilityState === 'visible' && painted();
void Promise.resolve(isPainted).then(() => import('./main.tsx'));
