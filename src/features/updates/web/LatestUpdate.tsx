import { ArrowRight, Megaphone } from 'lucide-react';
import { Link, useLocation } from 'react-router';
import type { Update } from '#features/updates/contract.ts';
import { Button } from '#ui/Button.tsx';
import { Section } from '#ui/Section.tsx';
import { newUpdateAnchor, UpdateEntry } from './UpdateEntry.tsx';
import { t } from '#features/updates/messages.ts';

/** The newest update of a club, with links to all updates and to the form for a new one. */
export function LatestUpdate({
  slug,
  update,
  admin,
}: {
  slug: string;
  update: Update | null;
  admin: boolean;
}) {
  const { hash } = useLocation();
  return (
    <Section
      title={t('latestUpdate')}
      actions={
        admin && (
          <Button asChild variant="secondary" size="sm" className="offline:hidden">
            <Link to={`/app/clubs/${slug}/new-update`}>
              <Megaphone aria-hidden />
              {t('createUpdate')}
            </Link>
          </Button>
        )
      }
    >
      {update ? (
        <>
          <UpdateEntry update={update} summaries marked={hash === `#${newUpdateAnchor}`} />
          <Button asChild variant="ghost" size="sm" className="-mb-4 -ml-3 sm:mt-1 sm:mb-0 offline:hidden">
            <Link to={`/app/clubs/${slug}/updates`}>
              {t('allUpdates')}
              <ArrowRight aria-hidden />
            </Link>
          </Button>
        </>
      ) : (
        <p className="rounded-xl border border-dashed border-line px-5 py-4 text-muted">
          {admin ? t('noUpdateYetForAdmins') : t('noUpdateYet')}
        </p>
      )}
    </Section>
  );
}
