import '#ui/theme.css';
import { install } from './install.ts';
import { isLoggedIn } from '#web/session.ts';

/** The whole script of the landing page, which the server sends ready to be read. It runs before the first paint. */
function leadOn(): void {
  if (isLoggedIn()) location.replace('/app');
}

leadOn();
// Also when the browser's 'back' takes the page out of its cupboard as it was.
window.addEventListener('pageshow', leadOn);
install();

// 'Create Your Club' leads to the landing page, which for a visitor without a session means on to the login.
for (const link of document.querySelectorAll('main a[href="/"]')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    location.assign('/login');
  });
}
