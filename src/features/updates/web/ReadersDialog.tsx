import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { NextPage } from '#web/NextPage.tsx';
import { queryClient } from '#web/queries.ts';
import { uniqueById } from '#web/useMore.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useNow } from '#web/useNow.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Club } from '#features/clubs/contract.ts';
import { fullName, ownName } from '#features/members/rules.ts';
import type { ReadCounts } from '#features/updates/contract.ts';
import { maxReminders, nextReminderAt, whyCannotRemind } from '#features/updates/form-rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { dayMonthYear, longDateInSentence, relativeTime, timeOfDay } from '#wire/format.ts';
import type { Instant } from '#wire/instant.ts';
import { sourceSet } from '#wire/pictures.ts';
import { t } from '#features/updates/read-messages.ts';

type State = 'read' | 'unread';

/** The counts and the first names of an important update. */
export const firstReaders = (club: string, update: string) =>
  queryOptions({
    queryKey: ['readers', club, update],
    queryFn: () => api.updates.readers({ club, update, state: 'unread' }),
  });

const pagesOf = (club: string, update: string, state: State) =>
  infiniteQueryOptions({
    queryKey: ['readers', club, update, state],
    queryFn: ({ pageParam }) =>
      api.updates.readers({ club, update, state, ...(pageParam && { after: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ more }) => more,
  });

interface ReadersDialogProps {
  club: Pick<Club, 'slug'>;
  update: string;
  onOpenChange: (open: boolean) => void;
}

/** Who has read an important update and who has not, with the button that reminds the latter. */
export function ReadersDialog({ club: { slug }, update, onOpenChange }: ReadersDialogProps) {
  const { data: counts } = useQuery(firstReaders(slug, update));
  return (
    <Dialog open onOpenChange={onOpenChange} title={t('readers')}>
      <div className="flex flex-col gap-6">
        {counts && counts.others > 0 && <Reminder club={slug} update={update} counts={counts} />}
        <Names title={t('unread')} club={slug} update={update} state="unread" />
        <Names title={t('read')} club={slug} update={update} state="read" />
      </div>
    </Dialog>
  );
}

function Names({
  title,
  club,
  update,
  state,
}: {
  title: string;
  club: string;
  update: string;
  state: State;
}) {
  const query = useInfiniteQuery(pagesOf(club, update, state));
  const pages = query.data?.pages ?? [];
  const [counts] = pages;
  const n = counts && (state === 'read' ? counts.read_count : counts.reader_count - counts.read_count);
  return (
    <section>
      <h3 className="font-semibold">
        <span>{title}</span> <span className="text-muted tabular-nums">{n}</span>
      </h3>
      {query.isError && pages.length === 0 && (
        <Banner tone="error" role="alert" className="mt-2">
          {t('readersNotLoaded')}
        </Banner>
      )}
      {n === 0 && state === 'read' && <p className="mt-1 text-muted">{t('nobodyYet')}</p>}
      <ul className="mt-2 flex flex-col gap-2">
        {uniqueById(pages.flatMap(({ readers }) => readers)).map((reader, nth, all) => (
          <li key={reader.id} className="flex items-center gap-3">
            <Avatar
              name={ownName(reader)}
              seed={reader.id}
              previous={all[nth - 1]?.id}
              src={reader.profile_picture_url}
              srcSet={sourceSet(reader.profile_picture_url, 'person')}
              size="sm"
            />
            <span className="min-w-0 flex-1 wrap-anywhere">{fullName(reader)}</span>
            {reader.read_at && (
              <time dateTime={reader.read_at} className="shrink-0 text-sm text-muted">
                {dayMonthYear(reader.read_at)}
              </time>
            )}
          </li>
        ))}
      </ul>
      <NextPage query={query} className="mt-3">
        {t('showMore')}
      </NextPage>
    </section>
  );
}

function Reminder({ club, update, counts }: { club: string; update: string; counts: ReadCounts }) {
  const now = useNow();
  const network = useNeedsNetwork();
  const remind = useSubmit({
    mutationFn: () => api.updates.remind({ club, update }),
    onSuccess: ({ reminded }) => void showToast({ title: t('reminded', { n: reminded }) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['readers', club, update] }),
  });
  const state = stateOf(counts, now);
  return (
    <div>
      <Button
        variant="secondary"
        className="w-full sm:w-auto"
        disabled={whyCannotRemind(counts, now) !== undefined}
        aria-describedby={state ? `reminder-${update}` : undefined}
        busy={remind.isPending}
        onClick={() => network.run(() => remind.mutate())}
      >
        {t('remind', { n: counts.others })}
      </Button>
      <p id={`reminder-${update}`} className="mt-1.5 text-sm text-muted empty:hidden">
        {state}
      </p>
      <InlineError className="mt-1.5">
        {network.notice ?? (remind.error && explain(remind.error))}
      </InlineError>
    </div>
  );
}

/** When members were reminded last, and why they cannot be reminded now. */
function stateOf(counts: ReadCounts, now: Instant): string {
  const { reminded_at } = counts;
  const next = nextReminderAt(counts);
  const why = {
    reminded_enough: t('remindedEnough', { n: maxReminders }),
    reminded_lately: next && t('remindAgain', { day: longDateInSentence(next, now), time: timeOfDay(next) }),
  }[whyCannotRemind(counts, now) as string];
  const when = reminded_at && t('lastReminded', { when: relativeTime(reminded_at, now) });
  return [when, why].filter(Boolean).join(' ');
}
