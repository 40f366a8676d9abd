import { Clock, RefreshCw, Share2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNow } from '#web/useNow.ts';
import { showToast } from '#web/copy.ts';
import type { InviteLink } from '#features/invites/contract.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { copyText } from '#ui/copy-text.ts';
import { CopyField } from '#ui/CopyField.tsx';
import { remaining } from '#wire/duration.ts';
import { QrCode } from '#ui/QrCode.tsx';
import type { ClubToInviteTo } from './InviteDialog.tsx';
import { inviteUrl, useDeleteLink, useCreateLink } from './useInviteLink.ts';
import { Rich } from '#ui/Rich.tsx';
import { t } from '#features/invites/link-messages.ts';

type LinkPanelProps = { club: ClubToInviteTo; link: InviteLink };

/** The invite link, with buttons to share, replace and delete it. */
export function LinkPanel({ club, link }: LinkPanelProps) {
  const now = useNow();
  const expired = link.expires_at <= now;
  return (
    <div className="flex flex-col gap-5">
      {expired ? (
        <Banner tone="warn" title={t('linkExpired')} role="status">
          {t('linkExpiredText')}
        </Banner>
      ) : (
        <LiveLink club={club} link={link} now={now} />
      )}
      <div className="flex flex-wrap gap-2">
        <RegenerateLink club={club} expired={expired} />
        <DeleteLink club={club} link={link} />
      </div>
    </div>
  );
}

function LiveLink({ club, link, now }: LinkPanelProps & { now: string }) {
  const url = inviteUrl(club.slug, link);
  const expiry = (text: string) => <time dateTime={link.expires_at}>{text}</time>;
  return (
    <>
      <div>
        <CopyField label={t('inviteLink')} value={url} onCopied={() => showToast('inviteLinkCopied')} />
        <p className="mt-2 flex items-center gap-1.5 text-sm text-muted">
          <Clock aria-hidden className="size-4 shrink-0" />
          <span>
            <Rich parts={t.parts('expiresIn', { time: expiry }, { time: remaining(link.expires_at, now) })} />
          </span>
        </p>
      </div>
      {'share' in navigator && (
        <Button onClick={() => void share(club.club_name, url)}>
          <Share2 aria-hidden />
          {t('shareLink')}
        </Button>
      )}
      <div className="flex flex-col items-center gap-3 rounded-lg bg-sunken px-4 py-5 text-center text-sm text-muted">
        <QrCode value={url} label={t('qrCode', { club: club.club_name })} className="w-40!" />
        <p>{t('qrCodeText')}</p>
      </div>
    </>
  );
}

/** Opens the native share sheet, or copies the link if that fails. */
async function share(clubName: string, url: string): Promise<void> {
  try {
    await navigator.share({ title: t('shareTitle', { club: clubName }), url });
  } catch (failure) {
    const wasDismissed = failure instanceof DOMException && failure.name === 'AbortError';
    if (!wasDismissed && (await copyText(url))) showToast('inviteLinkCopied');
  }
}

function RegenerateLink({ club, expired }: { club: ClubToInviteTo; expired: boolean }) {
  const [asking, setAsking] = useState(false);
  const createLink = useCreateLink(club);
  const replace = () =>
    createLink.mutate(
      {},
      {
        onSuccess: () => {
          setAsking(false);
          showToast({ title: t('newInviteLink'), text: t('newInviteLinkText') });
        },
      },
    );
  return (
    <>
      <Button
        variant={expired ? 'filled' : 'secondary'}
        size="sm"
        busy={expired && createLink.isPending}
        // Replacing an expired link needs no confirmation.
        onClick={() => (expired ? replace() : setAsking(true))}
      >
        <RefreshCw aria-hidden />
        {expired ? t('createNewLink') : t('replaceLink')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('replaceThisLink')}
        text={t('replaceThisLinkText')}
        confirmLabel={t('replace')}
        busy={createLink.isPending}
        busyLabel={t('replacing')}
        onConfirm={replace}
      />
    </>
  );
}

function DeleteLink({ club, link }: LinkPanelProps) {
  const [asking, setAsking] = useState(false);
  const remove = useDeleteLink(club.slug, link);
  return (
    <>
      <Button variant="secondary" size="sm" className="text-danger!" onClick={() => setAsking(true)}>
        <Trash2 aria-hidden />
        {t('deleteLink')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('deleteThisLink')}
        text={t('deleteThisLinkText')}
        confirmLabel={t('delete')}
        danger
        busy={remove.isPending}
        busyLabel={t('deleting')}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      />
    </>
  );
}
