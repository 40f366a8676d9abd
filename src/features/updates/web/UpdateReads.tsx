import { useQuery } from '@tanstack/react-query';
import { Check, Eye } from 'lucide-react';
import { useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queryClient } from '#web/queries.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useUser } from '#web/useSession.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { ReadCounts, Update } from '#features/updates/contract.ts';
import { Button } from '#ui/Button.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { dayMonthYear } from '#wire/format.ts';
import type { Instant } from '#wire/instant.ts';
import { firstReaders, ReadersDialog } from './ReadersDialog.tsx';
import { t } from '#features/updates/read-messages.ts';

interface UpdateReadsProps {
  club: Pick<Club, 'slug' | 'club_name' | 'is_planner'>;
  update: Pick<Update, 'id' | 'creator_id'>;
  /** When the viewer said that they have read it. */
  readAt: Instant | null;
  /** For planners. They are loaded if the page does not have them. */
  counts?: Partial<Pick<ReadCounts, 'read_count' | 'reader_count'>>;
}

/** Below an important update: the button of its readers, and for planners how many have read it. */
export function UpdateReads({ club, update, readAt, counts }: UpdateReadsProps) {
  const isAuthor = useUser().id === update.creator_id;
  return (
    <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      {!isAuthor && <OwnRead club={club} update={update} readAt={readAt} />}
      {club.is_planner && <Counts club={club} update={update} counts={counts} />}
    </div>
  );
}

/** The button, or the day on which the viewer pressed it. */
function OwnRead({ club, update, readAt }: Pick<UpdateReadsProps, 'club' | 'update' | 'readAt'>) {
  const network = useNeedsNetwork();
  const read = useSubmit({
    mutationFn: () => api.updates.read({ club: club.slug, update: update.id }),
    onSuccess: () => refreshReads(),
  });
  const shown = readAt ?? read.data?.my_read_at;
  if (shown)
    return (
      <p className="flex items-center gap-1.5 py-2 text-sm font-semibold text-ok">
        <Check aria-hidden className="size-4 shrink-0" />
        <span role={read.data && 'status'}>{t('youRead', { day: dayMonthYear(shown) })}</span>
      </p>
    );
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">
      <Button
        size="sm"
        busy={read.isPending}
        className="offline:hidden"
        onClick={() => network.run(() => read.mutate())}
      >
        {t('haveRead')}
      </Button>
      <p className="min-w-0 text-sm wrap-anywhere text-muted">{t('theySee', { club: club.club_name })}</p>
      <InlineError className="w-full">{network.notice ?? (read.error && explain(read.error))}</InlineError>
    </div>
  );
}

function Counts({ club, update, counts }: Pick<UpdateReadsProps, 'club' | 'update' | 'counts'>) {
  const [isOpen, setIsOpen] = useState(false);
  const isCounted = counts?.reader_count !== undefined;
  const { data: loaded } = useQuery({ ...firstReaders(club.slug, update.id), enabled: !isCounted });
  const { read_count: n, reader_count: all } = isCounted ? counts : (loaded ?? {});
  if (n === undefined || all === undefined) return null;
  return (
    <>
      <Button
        variant="ghost"
        size="sm"
        className="-ml-3 max-w-full text-left whitespace-normal! offline:hidden"
        onClick={() => setIsOpen(true)}
      >
        <Eye aria-hidden />
        {t('readCount', { n, all })}
      </Button>
      {isOpen && <ReadersDialog club={club} update={update.id} onOpenChange={setIsOpen} />}
    </>
  );
}

/** Refetches all that shows who has read an update. */
const refreshReads = () =>
  Promise.all(
    ['updates', 'club', 'readers'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
  );
