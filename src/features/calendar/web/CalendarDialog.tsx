import { QrCode as QrIcon, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { webcalLink } from '#features/calendar/rules.ts';
import { Button } from '#ui/Button.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { CopyField } from '#ui/CopyField.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { QrCode } from '#ui/QrCode.tsx';
import { CalendarLinks } from './CalendarLinks.tsx';
import { settings } from '#web/settings.ts';
import { Fetches } from './Fetches.tsx';
import { OnAndroid } from './OnAndroid.tsx';
import { InvitationsByMail } from './InvitationsByMail.tsx';
import { feedUrl, type CalendarFeed, isAndroid, useReplaceSecret } from './useFeed.ts';
import { t } from '#features/calendar/link-messages.ts';
import { t as ofCalendar } from '#features/calendar/messages.ts';

export type CalendarDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  feed: CalendarFeed;
  /** Called when a link is followed or copied. */
  onUse?: (() => void) | undefined;
};

/** Subscribes to a feed in a calendar app, and replaces the link of the feed. */
export function CalendarDialog({ open, onOpenChange, feed, onUse }: CalendarDialogProps) {
  const address = feedUrl(feed);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={feed.kind === 'club' ? t('clubCalendar') : ofCalendar('myCalendar')}
      description={
        feed.kind === 'club' ? t('clubCalendarText', { club: feed.club_name }) : t('myCalendarText')
      }
    >
      <div ref={focus} tabIndex={-1} className="flex flex-col gap-5 outline-none">
        {isAndroid() && <OnAndroid feed={feed} onUse={onUse} />}
        <CalendarLinks feed={feed} onUse={onUse} />
        <CopyField label={t('copyLink')} value={address} {...(onUse && { onCopied: onUse })} />
        <details className="group rounded-lg border border-line">
          <summary className="flex min-h-11 cursor-pointer list-none items-center gap-3 rounded-lg px-4 font-semibold focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
            <QrIcon aria-hidden className="size-5 text-accent" />
            {t('showQrCode')}
          </summary>
          <div className="flex flex-col items-center gap-3 px-4 pt-2 pb-5 text-center text-sm text-muted">
            <QrCode value={webcalLink(address)} label={t('qrCode')} />
            <p>{t('qrCodeText')}</p>
          </div>
        </details>
        <Fetches feed={feed} />
        {settings.mailsInvitations && !isAndroid() && <InvitationsByMail />}
        <Secrecy feed={feed} />
      </div>
    </Dialog>
  );
}

/** Focuses the first link: the dialog skips links when it looks for the initial focus. */
const focus = (content: HTMLElement | null) => content?.focus({ preventScroll: true });

function Secrecy({ feed }: { feed: CalendarFeed }) {
  const [asking, setAsking] = useState(false);
  const [leaked, setLeaked] = useState(false);
  const replace = useReplaceSecret(feed);
  const ask = () => {
    setLeaked(false);
    setAsking(true);
  };
  return (
    <div className="rounded-lg bg-sunken p-4 text-sm">
      <p className="font-semibold">{t('keepLinkSecret')}</p>
      <p className="mt-1 text-muted">{t('keepLinkSecretText')}</p>
      <Button variant="secondary" size="sm" className="mt-3" onClick={ask}>
        <RefreshCw aria-hidden />
        {t('replaceLink')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('replaceThisLink')}
        text={t('replaceThisLinkText')}
        confirmLabel={t('replaceLink')}
        danger
        busy={replace.isPending}
        busyLabel={t('replacing')}
        onConfirm={() => replace.mutate({ leaked }, { onSettled: () => setAsking(false) })}
      >
        <Checkbox
          label={t('itLeaked')}
          hint={t('itLeakedText')}
          checked={leaked}
          onChange={(event) => setLeaked(event.target.checked)}
        />
      </ConfirmDialog>
    </div>
  );
}
