import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Button } from '#ui/Button.tsx';
import { settings } from '#web/settings.ts';
import { Logo } from '#web/Logo.tsx';
import { Main } from '#web/Main.tsx';
import { Rich } from '#ui/Rich.tsx';
import { t } from '#app/web/messages.ts';

/** The frame of the public pages. Uses no browser API, because the server renders the landing page. */
export function PublicFrame({ loggedIn, children }: { loggedIn: boolean; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="mx-auto flex min-h-18 w-full max-w-6xl items-center justify-between gap-1 px-4 sm:px-6">
        <Link to="/" className="-m-2 flex shrink-0 rounded-md p-2">
          <Logo />
        </Link>
        <Button
          asChild
          variant={loggedIn ? 'filled' : 'ghost'}
          className={
            loggedIn
              ? undefined
              : '-mr-1 min-w-0 shrink! px-1! text-right! leading-tight! text-balance max-sm:text-sm!'
          }
        >
          {loggedIn ? <Link to="/app">{t('app')}</Link> : <Link to="/login">{t('signUpLogIn')}</Link>}
        </Button>
      </header>
      <Main className="grow">{children}</Main>
      <Footer />
    </div>
  );
}

function Footer() {
  const { makerName, makerUrl, productName } = settings;
  const makerLink = (text: string) => (
    <a
      href={makerUrl}
      target={makerUrl === '/' ? undefined : '_blank'}
      rel="noopener noreferrer"
      className="font-semibold text-ink underline underline-offset-4"
    >
      {text}
    </a>
  );
  return (
    <footer className="border-t border-line">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center justify-between gap-x-8 gap-y-2 px-4 py-6 text-sm text-muted sm:px-6">
        <p className="py-3">
          <Rich parts={t.parts('madeBy', { link: makerLink }, { productName, makerName })} />
        </p>
        <Link to="/privacy-policy" className="py-3 underline underline-offset-4 hover:text-ink">
          {t('privacyPolicy')}
        </Link>
      </div>
    </footer>
  );
}
