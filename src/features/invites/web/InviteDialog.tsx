import { useQuery } from '@tanstack/react-query';
import { CalendarDays, ChevronDown, Link2 } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { explain } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import { useNow } from '#web/useNow.ts';
import { CalendarLinks } from '#features/calendar/web/CalendarLinks.tsx';
import type { Club } from '#features/clubs/contract.ts';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { Skeleton } from '#ui/Skeleton.tsx';
import { LinkPanel } from './LinkPanel.tsx';
import { useCreateLink } from './useInviteLink.ts';
import { t } from '#features/invites/link-messages.ts';
import { t as ofInvites } from '#features/invites/messages.ts';

export type ClubToInviteTo = Pick<Club, 'id' | 'slug' | 'club_name' | 'ical_feed_url_id'>;

type InviteDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  club: ClubToInviteTo;
};

/** Shows, replaces or deletes the invite link of a club. Opening it creates a link if the club has none. */
export function InviteDialog({ club, ...dialog }: InviteDialogProps) {
  const { data: link } = useQuery(queries.inviteLink(club.slug));
  const now = useNow();
  return (
    <Dialog
      {...dialog}
      title={ofInvites('inviteMembers')}
      description={link && link.expires_at > now && t('inviteMembersText', { club: club.club_name })}
    >
      <div className="flex flex-col gap-6">
        <LinkOrNone club={club} />
        <details className="group rounded-lg border border-line">
          <summary className="flex min-h-11 cursor-pointer list-none items-center gap-3 rounded-lg px-4 font-semibold focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
            <CalendarDays aria-hidden className="size-5 text-accent" />
            {t('clubCalendar')}
            <ChevronDown
              aria-hidden
              className="ml-auto size-5 text-muted transition-transform group-open:rotate-180"
            />
          </summary>
          <div className="px-4 pt-1 pb-4">
            <p className="mb-3 text-sm text-muted">{t('clubCalendarText')}</p>
            <CalendarLinks
              feed={{
                kind: 'club',
                club_id: club.id,
                club_name: club.club_name,
                secret: club.ical_feed_url_id,
              }}
            />
          </div>
        </details>
      </div>
    </Dialog>
  );
}

function LinkOrNone({ club }: { club: ClubToInviteTo }) {
  const { data: link, error, refetch } = useQuery(queries.inviteLink(club.slug));
  const createLink = useCreateLink(club);
  // A link that is deleted in the dialog is not replaced at once.
  const [wasOpened, setOpened] = useState(false);
  if (link && !wasOpened) setOpened(true);
  const create = useEffectEvent(() => createLink.mutate({ if_none: true }));
  const hasNone = link === null && !wasOpened;
  useEffect(() => {
    if (hasNone) create();
  }, [hasNone]);
  if (link) return <LinkPanel club={club} link={link} />;
  if (link === null && (wasOpened || createLink.isError)) {
    return (
      <EmptyState
        icon={Link2}
        title={t('noInviteLinkYet')}
        text={t('noInviteLinkYetText')}
        action={
          <Button
            busy={createLink.isPending}
            busyLabel={t('creating')}
            onClick={() => createLink.mutate({ if_none: true })}
          >
            {t('createInviteLink')}
          </Button>
        }
        className="rounded-lg border border-dashed border-line py-8!"
      />
    );
  }
  if (!error) return <Skeleton className="h-80" />;
  return (
    <NotLoaded title={t('linkNotLoaded')} retry={() => void refetch()}>
      {explain(error)}
    </NotLoaded>
  );
}
