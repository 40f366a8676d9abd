import { renderToStaticMarkup } from 'react-dom/server';
import { StaticRouter } from 'react-router';
import { PublicFrame } from './layout/PublicFrame.tsx';
import { SkipLink } from './layout/SkipLink.tsx';
import LandingPage from './pages/LandingPage.tsx';
import { settings, type Settings } from './settings.ts';

/** The landing page as HTML. Runs in the server, which has one set of settings for as long as it lives. */
export function landingMarkup(given: Settings): string {
  Object.assign(settings, given);
  return renderToStaticMarkup(
    <StaticRouter location="/">
      <SkipLink />
      <PublicFrame loggedIn={false}>
        <LandingPage />
      </PublicFrame>
    </StaticRouter>,
  );
}
