import '#ui/theme.css';
import { install } from './install.ts';
import { isLoggedIn } from '#web/session.ts';

/** The only script of the prerendered landing page. It runs before the first paint and redirects logged-in users. */
function redirectIfLoggedIn(): void {
  if (isLoggedIn()) location.replace('/app');
}

redirectIfLoggedIn();
// The browser may also restore the page from the back/forward cache.
window.addEventListener('pageshow', redirectIfLoggedIn);
install();

// 'Create Your Club' links to the landing page itself. Without a session, the click goes to the login instead.
for (const link of document.querySelectorAll('main a[href="/"]')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    location.assign('/login');
  });
}
