import '#ui/theme.css';
import { install } from '#web/first/install.ts';
import { arrival, detailsOf, kindOf, takeArrival } from '#web/first/after-login.ts';
import { isLoggedIn, redirectToLogin } from '#web/first/session.ts';
import { canStoreLogin } from '#web/first/storage.ts';

/** The only script of the prerendered landing page. It runs before the first paint and redirects logged-in users. */
function redirectIfLoggedIn(): void {
  if (isLoggedIn()) location.replace(takeArrival() ?? '/app');
}

redirectIfLoggedIn();
// The browser may also restore the page from the back/forward cache.
window.addEventListener('pageshow', redirectIfLoggedIn);
install();

const storageNotice = document.querySelector<HTMLElement>('[data-no-storage]');
if (storageNotice && !canStoreLogin()) {
  storageNotice.textContent = storageNotice.dataset['noStorage'] ?? '';
  storageNotice.hidden = false;
}

const opened = arrival();
const notice = document.querySelector<HTMLElement>('[data-arrival]');
if (opened && notice) {
  const [title, details] = ['[data-title]', '[data-details]'].map((part) =>
    notice.querySelector<HTMLElement>(part),
  );
  title?.replaceChildren(title.dataset[kindOf(opened)] ?? '');
  details?.replaceChildren(detailsOf(opened));
  notice.hidden = false;
  notice.querySelector('button')?.addEventListener('click', () => {
    takeArrival();
    notice.hidden = true;
  });
}

// 'Create Your Club' links to the landing page itself. Without a session, the click leads through the login to the form.

for (const link of document.querySelectorAll('main a[href="/"]')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    redirectToLogin('/app/new-club');
  });
}
