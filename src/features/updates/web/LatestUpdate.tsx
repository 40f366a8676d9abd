import { ArrowRight, Megaphone } from 'lucide-react';
import { Link, useLocation } from 'react-router';
import type { Update } from '#features/updates/contract.ts';
import { Button } from '#ui/Button.tsx';
import { Section } from '#ui/Section.tsx';
import { newUpdateAnchor, UpdateEntry } from './UpdateEntry.tsx';

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
      title="Latest update"
      actions={
        admin && (
          <Button asChild variant="secondary" size="sm" className="offline:hidden">
            <Link to={`/app/clubs/${slug}/new-update`}>
              <Megaphone aria-hidden />
              Create update
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
              All updates
              <ArrowRight aria-hidden />
            </Link>
          </Button>
        </>
      ) : (
        <p className="rounded-xl border border-dashed border-line px-5 py-4 text-muted">
          {admin
            ? 'Tell your members what is new. The latest update shows up here.'
            : "News from the club's admins will show up here."}
        </p>
      )}
    </Section>
  );
}
