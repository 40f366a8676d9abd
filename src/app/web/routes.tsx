import type { ComponentType } from 'react';
import { type LoaderFunction, redirect, type MiddlewareFunction, type RouteObject } from 'react-router';
import { lazyClubPartsFor } from '#features/clubs/web/LazyClubParts.tsx';
import { lazyEventPartsFor } from '#features/events/pages/web/LazyEventParts.tsx';
import { isPublicPath } from '#features/auth/rules.ts';
import { Failure, NetworkFailure } from '#wire/client.ts';
import { ErrorPage } from './pages/ErrorPage.tsx';
import PageNotLoaded from './pages/PageNotLoaded.tsx';
import { Splash } from './pages/Splash.tsx';
import { queries, queryClient } from '#web/queries.ts';
import { Root } from './layout/Root.tsx';
import { loadParts } from '#ui/LazyPart.tsx';
import { offlineCache } from '#web/offline.ts';
import type { RouteHandle } from '#web/prefetch.ts';
import { setHomeNote } from '#web/home-note.ts';
import { withTexts } from '#web/with-texts.ts';
import { isLoggedIn } from '#web/first/session.ts';
import { showToast, type MessageKey } from '#web/copy.ts';
import { t } from '#app/web/messages.ts';

type Load = () => Promise<{ default: ComponentType }>;

/** A lazily loaded layout, or a page without one, fetched in parallel with its data. */
const frame = (load: Load) => ({ lazy: { Component: async () => (await load()).default } });

/** A page within a layout. If its file cannot be loaded, a notice is in its place, and the layout stays usable. */
const page = (load: Load) =>
  frame(() =>
    load().catch((failure: unknown) => {
      // The error boundary shows the offline page, which reloads when the network is back.
      if (!navigator.onLine) throw failure;
      console.error(failure);
      return { default: PageNotLoaded };
    }),
  );

/** Loaders accept cached data of any age: the page shows it at once and refetches it when stale. */
const cached = { staleTime: 'static' } as const;

/** Resolves in a new task, because creating the router and matching the first route have made the current task long. */
let ready: Promise<void> | undefined;

const restoreScreens = () => offlineCache((cache) => cache.restoreScreens());

/** If the server cannot be reached, restores the data that this device has stored, and reads again. */
const orStored = <Data,>(read: () => Promise<Data>): Promise<Data> =>
  read().catch((failure: unknown) => {
    if (failure instanceof NetworkFailure) return restoreScreens().then(read);
    throw failure;
  });

const afterLogin = () => import('#web/first/after-login.ts');

const guard: MiddlewareFunction = async ({ url: { pathname, search } }) => {
  if (!isLoggedIn() && !isPublicPath(pathname)) {
    (await afterLogin()).rememberArrival(pathname + search);
    throw redirect('/');
  }
  await (ready ??= new Promise((resolve) => setTimeout(resolve)));
  if (!navigator.onLine) await restoreScreens();
};

/** The user may have logged in in another tab. */
const landing: LoaderFunction = async () =>
  isLoggedIn() ? redirect((await afterLogin()).takeArrival() ?? '/app') : null;

/** `null` without a session: the invite pages below /app/club/ need no login. */
const user = () =>
  isLoggedIn() ? orStored(() => queryClient.query({ ...queries.user(), ...cached })) : null;

const pageWithTexts = (load: Load) => page(() => withTexts(load()));

const notFoundNotices = () => ({
  club: t('clubNotFound'),
  event: t('eventNotFound'),
});

/** A loader that redirects to /app if `read` fails, with an optional toast, and with a notice after a 404. */
const loaderFor = (
  what: keyof ReturnType<typeof notFoundNotices>,
  read: RouteHandle['read'],
  message?: MessageKey,
): Pick<RouteObject, 'loader' | 'handle'> => ({
  handle: { read } satisfies RouteHandle,
  async loader({ params, request }) {
    try {
      return params['slug'] ? await read(params['slug']).then(() => null) : redirect('/app');
    } catch (failure) {
      // The session has ended, and the redirect to the login is already under way.
      if (failure instanceof Failure && failure.status === 401) return redirect('/login');
      // The error boundary shows the offline page, which reloads when the network is back.
      if (!navigator.onLine) throw failure;
      if (message && !request.signal.aborted) showToast(message);
      if (failure instanceof Failure && failure.status === 404)
        setHomeNote({ text: notFoundNotices()[what] });
      return redirect('/app');
    }
  },
});

const readClub = (slug: string) => orStored(() => queryClient.query({ ...queries.club(slug), ...cached }));
const readEvent = (slug: string) => orStored(() => queryClient.query({ ...queries.event(slug), ...cached }));
const readClubPage = async (slug: string) => {
  const club = await readClub(slug);
  // The page says which parts could not be loaded.
  await loadParts(lazyClubPartsFor(club)).catch(() => {});
};
const readEventPage = async (slug: string) => {
  const [event, viewer] = await Promise.all([readEvent(slug), user()]);
  if (viewer) await loadParts(lazyEventPartsFor(event, viewer)).catch(() => {});
};
const readSeries = (slug: string) => queryClient.query({ ...queries.series(slug), ...cached });
const readUpdates = (slug: string) => queryClient.query({ ...queries.updates(slug), ...cached });
// The pages handle missing sections.
const readSections = (slug: string) =>
  queryClient.query({ ...queries.sections(slug), ...cached }).catch(() => null);
// Only admins may load the second query. The page handles its absence.
const readMembers = (slug: string) =>
  Promise.all([
    readClub(slug),
    queryClient.infiniteQuery(queries.membersForAdmin(slug, '')).catch(() => null),
    readSections(slug),
  ]);

const club = loaderFor('club', readClub, 'clubNotFound');
const clubPage = loaderFor('club', readClubPage, 'clubNotFound');
const event = loaderFor('event', readEvent);
const eventPage = loaderFor('event', readEventPage);
const series = loaderFor('event', readSeries);
const updates = loaderFor('club', (slug) => Promise.all([readUpdates(slug), readClub(slug)]));
const clubAndSections = loaderFor(
  'club',
  (slug) => Promise.all([readClub(slug), readSections(slug)]),
  'clubNotFound',
);
const clubMembers = loaderFor('club', readMembers, 'clubNotFound');

const home: LoaderFunction = () =>
  Promise.all([
    orStored(() => queryClient.query({ ...queries.attending(), ...cached })),
    orStored(() => queryClient.query({ ...queries.ofMyClubs(), ...cached })),
  ]);

const notificationSettings: LoaderFunction = () => queryClient.query(queries.notificationSettings());

const invite: LoaderFunction = async ({ params }) => {
  const [currentUser] = await Promise.all([
    user(),
    queryClient.query({ ...queries.invite(params['invite'] ?? ''), ...cached }).catch(() => null),
  ]);
  const isMember = currentUser?.clubs.some((each) => each.slug === params['slug']);
  if (!isMember) return null;
  (await afterLogin()).forgetInvite();
  return redirect(`/app/clubs/${params['slug']}`);
};

const newEvent = pageWithTexts(() => import('#features/events/pages/web/NewEventPage.tsx'));
const notFound = page(() => import('./pages/NotFoundPage.tsx'));

const app: RouteObject[] = [
  { index: true, loader: home, ...page(() => import('./pages/HomePage.tsx')) },
  { path: 'new-club', ...pageWithTexts(() => import('#features/clubs/web/NewClubPage.tsx')) },
  { path: 'clubs/:slug', ...clubPage, ...page(() => import('#features/clubs/web/ClubPage.tsx')) },
  {
    path: 'clubs/:slug/edit',
    ...club,
    ...pageWithTexts(() => import('#features/clubs/web/EditClubPage.tsx')),
  },
  {
    path: 'clubs/:slug/breaks',
    ...club,
    ...page(() => import('#features/events/series/web/BreaksPage.tsx')),
  },
  {
    path: 'clubs/:slug/attendance',
    ...club,
    ...page(() => import('#features/events/checkins/web/AttendancePage.tsx')),
  },
  {
    path: 'clubs/:slug/members',
    ...clubMembers,
    ...page(() => import('#features/members/web/MembersPage.tsx')),
  },
  {
    path: 'clubs/:slug/sections',
    ...club,
    ...pageWithTexts(() => import('#features/sections/web/SectionsPage.tsx')),
  },
  {
    path: 'clubs/:slug/sections/:section',
    ...club,
    ...pageWithTexts(() => import('#features/sections/web/SectionMembersPage.tsx')),
  },
  { path: 'clubs/:slug/log', ...club, ...page(() => import('#features/members/web/LogPage.tsx')) },
  {
    path: 'clubs/:slug/updates',
    ...updates,
    ...page(() => import('#features/updates/web/UpdatesPage.tsx')),
  },
  {
    path: 'clubs/:slug/updates/:update/edit',
    ...updates,
    ...pageWithTexts(() => import('#features/updates/web/EditUpdatePage.tsx')),
  },
  {
    path: 'clubs/:slug/new-update',
    ...club,
    ...pageWithTexts(() => import('#features/updates/web/NewUpdatePage.tsx')),
  },
  { path: 'clubs/:slug/new-event', ...clubAndSections, ...newEvent },
  { path: ':slug/new-event', ...clubAndSections, ...newEvent },
  { path: 'events', ...event },
  { path: 'events/:slug', ...eventPage, ...page(() => import('#features/events/pages/web/EventPage.tsx')) },
  {
    path: 'events/:slug/answers',
    ...event,
    ...pageWithTexts(() => import('#features/events/answers/web/AnswersPage.tsx')),
  },
  {
    path: 'events/:slug/check-in',
    ...event,
    ...page(() => import('#features/events/checkins/web/CheckInPage.tsx')),
  },
  {
    path: 'events/edit/:slug',
    ...event,
    ...pageWithTexts(() => import('#features/events/pages/web/EditEventPage.tsx')),
  },
  { path: 'series/:slug', ...series, ...page(() => import('#features/events/series/web/SeriesPage.tsx')) },
  { path: 'away', ...pageWithTexts(() => import('#features/events/absences/web/AwayPage.tsx')) },
  { path: 'profile', ...pageWithTexts(() => import('#features/users/web/ProfilePage.tsx')) },
  { path: 'notifications', ...page(() => import('#features/notifications/web/NotificationsPage.tsx')) },
  {
    path: 'settings/notifications',
    loader: notificationSettings,
    ...pageWithTexts(() => import('#features/notifications/web/SettingsPage.tsx')),
  },
  { path: 'feedback', ...page(() => import('#features/feedback/web/FeedbackPage.tsx')) },
  {
    path: 'club/:slug/:invite',
    loader: invite,
    ...page(() => import('#features/invites/web/InvitePage.tsx')),
  },
  { path: '*', ...notFound },
];

export const routes: RouteObject[] = [
  {
    path: '/',
    Component: Root,
    HydrateFallback: Splash,
    ErrorBoundary: ErrorPage,
    middleware: [guard],
    children: [
      {
        ...frame(() => import('./layout/PublicLayout.tsx')),
        children: [
          { index: true, loader: landing, ...pageWithTexts(() => import('./pages/LandingPage.tsx')) },
          { path: 'thankyou', ...page(() => import('./pages/ThankYouPage.tsx')) },
          { path: 'privacy-policy', ...pageWithTexts(() => import('./pages/PrivacyPage.tsx')) },
          { path: '*', ...notFound },
        ],
      },
      { path: 'login', ...frame(() => import('#features/auth/web/LoginPage.tsx')) },
      { path: 'confirm', ...frame(() => import('#features/auth/web/ConfirmPage.tsx')) },
      { path: 'revert-email', ...frame(() => withTexts(import('#features/users/web/RevertEmailPage.tsx'))) },
      {
        path: 'unsubscribe',
        ...frame(() => withTexts(import('#features/notifications/web/UnsubscribePage.tsx'))),
      },
      { path: 'app', loader: user, ...frame(() => import('./layout/AppLayout.tsx')), children: app },
    ],
  },
];
