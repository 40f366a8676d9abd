import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Button } from '#ui/Button.tsx';
import { settings } from '#web/settings.ts';
import { Logo } from '#web/Logo.tsx';
import { Main } from '#web/Main.tsx';
import { t } from '#app/web/messages.ts';

/** The frame of every page below /app. Uses no browser API, because the server renders it too. */
export function AppFrame({ header = true, footer = true, tools, children }: AppFrameProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      {header && <Header tools={tools} />}
      <Main className="mx-auto w-full max-w-6xl grow px-4 pt-6 pb-16 sm:px-6 sm:pt-10">{children}</Main>
      {footer && <Footer />}
    </div>
  );
}

interface AppFrameProps {
  header?: boolean;
  footer?: boolean;
  /** Header controls for a logged-in user. */
  tools?: ReactNode;
  children: ReactNode;
}

function Header({ tools }: Pick<AppFrameProps, 'tools'>) {
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-surface">
      <div className="mx-auto flex h-16 max-w-6xl items-center justify-between gap-4 px-4 sm:px-6">
        <Link to="/app" className="-m-2 flex rounded-md p-2">
          <Logo />
        </Link>
        <div className="flex items-center gap-1 sm:gap-2">{tools}</div>
      </div>
    </header>
  );
}

function Footer() {
  const { donateUrl, developerName, developerUrl, supportUrl } = settings;
  return (
    <footer className="border-t border-line">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-4 gap-y-2 px-4 py-5 sm:gap-x-6 text-sm text-muted sm:px-6">
        <Link to="/privacy-policy" className="py-3 hover:text-ink hover:underline">
          {t('privacyPolicy')}
        </Link>
        <Link to={supportUrl} className="py-3 hover:text-ink hover:underline">
          {t('support')}
        </Link>
        {developerUrl && (
          <a
            href={developerUrl}
            target="_blank"
            rel="noopener noreferrer"
            className="py-3 hover:text-ink hover:underline"
          >
            {t('builtBy', { developerName })}
          </a>
        )}
        {donateUrl && (
          <Button asChild variant="secondary" size="sm" className="sm:ml-auto">
            <a href={donateUrl} target="_blank" rel="noopener noreferrer">
              {t('donate')}
            </a>
          </Button>
        )}
      </div>
    </footer>
  );
}
