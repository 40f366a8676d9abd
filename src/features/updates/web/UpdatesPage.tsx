import { useSuspenseQuery } from '@tanstack/react-query';
import { Megaphone } from 'lucide-react';
import { Suspense } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { queries } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useTitle } from '#web/useTitle.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { ListedUpdate } from '#features/updates/contract.ts';
import { Button } from '#ui/Button.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { dayKey, dayMonthYear } from '#wire/format.ts';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { UpdateReads } from './LazyUpdateParts.tsx';
import { newUpdateAnchor, UpdateEntry } from './UpdateEntry.tsx';
import { UpdateMenu } from './UpdateMenu.tsx';
import { useMayChange } from './useMayChange.ts';
import { t } from '#features/updates/messages.ts';
import { groupBy } from '#wire/group-by.ts';

export default function UpdatesPage() {
  const { slug = '' } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const { data: updates } = useSuspenseQuery(queries.updates(slug));
  const title = t('updatesOf', { club: club.club_name });
  const back = useBack(`/app/clubs/${slug}`);
  useTitle(title);

  const create = club.is_planner && (
    <Button asChild className="offline:hidden">
      <Link to={`/app/clubs/${slug}/new-update`}>
        <Megaphone aria-hidden />
        {t('createUpdate')}
      </Link>
    </Button>
  );
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title={title}
        back={<BackButton onClick={back} />}
        actions={updates.length > 0 && create}
        className="wrap-anywhere"
      />
      {updates.length === 0 ? (
        <EmptyState
          icon="boat"
          title={t('noUpdates')}
          text={club.is_planner ? t('noUpdatesText') : undefined}
          action={create}
        />
      ) : (
        <Days club={club} updates={updates} />
      )}
    </div>
  );
}

function Days({ club, updates }: { club: Club; updates: readonly ListedUpdate[] }) {
  const mayChange = useMayChange(club);
  const { hash } = useLocation();
  const newest = updates[0];
  return (
    <div className="flex flex-col gap-8">
      {[...groupBy(updates, ({ created_at }) => dayKey(created_at))].map(([day, ofDay]) => (
        <section key={day} aria-labelledby={day}>
          <h2 id={day} className="mb-3 text-sm font-semibold text-muted">
            <time dateTime={day}>{dayMonthYear(ofDay[0]?.created_at ?? day)}</time>
          </h2>
          <ul className="flex flex-col gap-3">
            {ofDay.map((update) => (
              <li key={update.id}>
                <UpdateEntry
                  update={update}
                  newest={update === newest}
                  menu={mayChange(update) && <UpdateMenu slug={club.slug} update={update} />}
                  marked={update === newest && hash === `#${newUpdateAnchor}`}
                  reads={
                    update.important && (
                      <Suspense>
                        <UpdateReads club={club} update={update} readAt={update.my_read_at} counts={update} />
                      </Suspense>
                    )
                  }
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
