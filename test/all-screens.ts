import { pagePaths, screenPaths } from '#app/page-scripts.ts';

/** What the addresses of screens refer to: slugs, an id, and the path of an invite below /app/club. */
interface Subjects {
  club: string;
  event: string;
  series: string;
  update: string;
  section: string;
  invite: string;
}

/** One address of each screen of the app. `routes.test.tsx` fails when a list of paths lacks a route. */
export const allScreens = ({ club, event, series, update, section, invite }: Subjects): string[] =>
  ['/', '/nowhere', ...pagePaths, ...screenPaths].map((path) =>
    path
      .replace('club/:slug/:invite', `club/${invite}`)
      .replace('clubs/:slug', `clubs/${club}`)
      .replace('app/:slug', `app/${club}`)
      .replace('series/:slug', `series/${series}`)
      .replace(':slug', event)
      .replace(':update', update)
      .replace(':section', section)
      .replace('*', 'nowhere'),
  );
