import { ArrowRight, Megaphone } from 'lucide-react';
import { Suspense } from 'react';
import { Link, useLocation } from 'react-router';
import type { Club } from '#features/clubs/contract.ts';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { Section } from '#ui/Section.tsx';
import { UpdateReads } from './LazyUpdateParts.tsx';
import { newUpdateAnchor, UpdateEntry } from './UpdateEntry.tsx';
import { t } from '#features/updates/messages.ts';

/** The newest update of a club, with links to all updates and to the form for a new one. */
export function LatestUpdate({ club }: { club: Club }) {
  const { slug, latest_update: update, latest_update_read_at: readAt, is_planner: isPlanner } = club;
  const { hash } = useLocation();
  // Keys, because React fails when it turns one translated link into the other.
  const updates = `/app/clubs/${slug}/updates`;
  const all = (
    // On the phone of a planner it has no room, and the card leads to the same page.
    <Button
      key="all"
      asChild
      variant="ghost"
      size="sm"
      className={cn('-mr-3 offline:hidden', isPlanner && 'max-sm:hidden')}
    >
      <Link to={updates}>
        {t('allUpdates')}
        <ArrowRight aria-hidden />
      </Link>
    </Button>
  );
  const create = (
    <Button key="create" asChild variant="ghost" size="sm" className="-mr-3 offline:hidden sm:mr-0">
      <Link to={`/app/clubs/${slug}/new-update`}>
        <Megaphone aria-hidden className="max-sm:hidden" />
        {t('createUpdate')}
      </Link>
    </Button>
  );
  return (
    <Section
      title={t('latestUpdate')}
      actions={
        <>
          {isPlanner && create}
          {update && all}
        </>
      }
    >
      {update ? (
        <UpdateEntry
          update={update}
          to={updates}
          marked={hash === `#${newUpdateAnchor}`}
          reads={
            update.important && (
              <Suspense>
                <UpdateReads key={update.id} club={club} update={update} readAt={readAt} />
              </Suspense>
            )
          }
        />
      ) : (
        <p className="rounded-xl border border-dashed border-line px-5 py-4 text-muted">
          {isPlanner ? t('noUpdateYetForPlanners') : t('noUpdateYet')}
        </p>
      )}
    </Section>
  );
}
