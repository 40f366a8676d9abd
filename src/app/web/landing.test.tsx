import { renderToStaticMarkup } from 'react-dom/server';
import { StaticRouter } from 'react-router';
import { beforeEach, expect, test, vi } from 'vitest';
import { inLook } from '#wire/look.ts';
import { addTranslations } from '#wire/messages.ts';
import { StorageNotice } from '#web/StorageNotice.tsx';
import LandingPage from './pages/LandingPage.tsx';

const notice = () => document.querySelector<HTMLElement>('[data-arrival]');

/** The static page as the server sends it. */
function render(arrival?: object): void {
  document.body.innerHTML = renderToStaticMarkup(
    <StaticRouter location="/">
      <main>
        <LandingPage />
      </main>
    </StaticRouter>,
  );
  if (arrival) sessionStorage.setItem('arrival', JSON.stringify(arrival));
  vi.resetModules();
}

/** The static page with its script. */
async function load(arrival?: object) {
  render(arrival);
  await import('./landing.ts');
}

const day = { start: '2099-06-08T17:30:00.000Z', zone: 'Europe/London' };

beforeEach(() => {
  sessionStorage.clear();
  document.documentElement.lang = 'en';
});

test('landing page: shows no notice to visitors who opened it themselves [UX-21]', async () => {
  await load();
  expect(notice()?.hidden).toBe(true);
});

test('landing page: says what is different, and promises calendars only where they work [LAND-05 LOOKUX-01]', async () => {
  await load();
  const lines = [...document.querySelectorAll('h1 ~ ul li')].map(({ textContent }) => textContent);
  expect(lines).toEqual([
    'No app. Members answer straight from the email.',
    'No password. A code by email logs you in.',
    'No cookies. Nobody is tracked.',
  ]);
  const picture = document.querySelector<HTMLElement>('[role=img][data-hue]');
  expect(picture?.getAttribute('aria-label')).toContain('An email on a phone');
  expect(picture?.textContent).toContain("Are you coming?GoingMaybeCan't go");
  expect(document.body.textContent).toContain('Add either once, on an iPhone or a computer');
});

test.each([
  ['/app/events/edit/run', 'Log in to open the event you were sent'],
  ['/app/clubs/rowers/updates', 'Log in to open the club you were sent'],
  ['/app/profile', 'Log in to open the page you were sent'],
])('landing page: says whether %s is an event, a club or another page [UX-21]', async (path, title) => {
  await load({ path });
  expect(notice()?.textContent).toBe(`${title}Log inDismiss`);
});

test('landing page: its notice is in the language in which the server has rendered the page [LANG-06 AUTHUX-07]', async () => {
  addTranslations('de', { 'app.landing.eventYouWereSent': 'Logge dich ein, um den Termin zu öffnen' });
  document.documentElement.lang = 'de';
  const event = { path: '/app/events/run', title: 'Skatrunde', ...day };
  inLook({ language: 'de', clock: 'auto' }, () => render(event));
  await import('./landing.ts');
  expect(notice()?.textContent).toBe(
    'Logge dich ein, um den Termin zu öffnenSkatrunde · Montag, 8. Juni 2099Log inDismiss',
  );
});

test('landing page: offers to open the event that the visitor was sent, until dismissed [UX-21 UX-22]', async () => {
  await load({ path: '/app/events/run', title: '<i>Tuesday</i> run', ...day });
  expect(notice()?.hidden).toBe(false);
  expect(notice()?.textContent).toBe(
    'Log in to open the event you were sent<i>Tuesday</i> run · Monday 8 June 2099Log inDismiss',
  );
  expect(notice()?.querySelector('a')?.getAttribute('href')).toBe('/login');
  notice()?.querySelector('button')?.click();
  expect([notice()?.hidden, sessionStorage.length]).toEqual([true, 0]);
});

test('landing page: "Create Your Club" leads through the login to the form of a new club, and not to the page that was opened before [UX-21 FORMUX-05]', async () => {
  await load({ path: '/app/clubs/rowers' });
  expect(notice()?.textContent).toBe('Log in to open the club you were sentLog inDismiss');
  // jsdom does not navigate.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  document.querySelector<HTMLElement>('main a[href="/"]')?.click();
  expect(sessionStorage.length).toBe(0);
  expect(localStorage.getItem('returnUrl')).toBe('/app/new-club');
  localStorage.clear();
});

test.each([true, false])(
  'landing page: says that the browser does not store the login, unless it does (%s) [ROBUST-03]',
  async (stores) => {
    const set = vi.spyOn(Storage.prototype, 'setItem');
    if (!stores)
      set.mockImplementation(() => {
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      });
    document.body.innerHTML = renderToStaticMarkup(<StorageNotice />);
    vi.resetModules();
    await import('./landing.ts');
    const storageNotice = document.querySelector<HTMLElement>('[data-no-storage]');
    expect([storageNotice?.hidden, Boolean(storageNotice?.textContent)]).toEqual([stores, !stores]);
  },
);
