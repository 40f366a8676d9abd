import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from '#web/Logo.tsx';
import { Main } from '#web/Main.tsx';
import { Card } from '#ui/Card.tsx';
import { t } from '#web/messages.ts';
import type { Elements } from '#ui/elements.ts';

/** The frame of the login and of other pages outside the app. */
export function EntryCard({ above, children }: { above?: Elements; children: ReactNode }) {
  return (
    <Main className="mx-auto flex min-h-dvh w-full max-w-lg flex-col items-center justify-center gap-6 px-4 py-10">
      <Link to="/" className="rounded-md p-2">
        <Logo className="text-xl!" />
      </Link>
      {above}
      <Card className="w-full max-w-md">{children}</Card>
      <Link
        to="/privacy-policy"
        className="py-3 text-sm text-muted underline underline-offset-4 hover:text-ink"
      >
        {t('privacyPolicy')}
      </Link>
    </Main>
  );
}
