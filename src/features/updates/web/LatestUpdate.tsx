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
  const all = (
    <Button asChild variant="ghost" size="sm" className="-mr-3 offline:hidden">
      <Link to={`/app/clubs/${slug}/updates`}>
        {t('allUpdates')}
        <ArrowRight aria-hidden />
      </Link>
    </Button>
  );
  const create = (
    <Button asChild variant="secondary" size="sm" className="offline:hidden">
      <Link to={`/app/clubs/${slug}/new-update`}>
        <Megaphone aria-hidden />
        {t('createUpdate')}
      </Link>
    </Button>
  );
  return (
    // The link to all updates is beside the title, where it takes no extra line. For admins, the button to create an
    // update is there instead, because both would not fit.
    <Section title={t('latestUpdate')} actions={admin ? create : update && all}>
      {update ? (
        <>
          <UpdateEntry update={update} summaries marked={hash === `#${newUpdateAnchor}`} />
          {admin && <div className="-mb-4 -ml-3 w-fit sm:mt-1 sm:mb-0">{all}</div>}
        </>
      ) : (
        <p className="rounded-xl border border-dashed border-line px-5 py-4 text-muted">
          {admin ? t('noUpdateYetForAdmins') : t('noUpdateYet')}
        </p>
      )}
    </Section>
  );
}
