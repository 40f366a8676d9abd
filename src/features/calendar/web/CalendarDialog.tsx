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
import { addressOf, type CalendarFeed, useReplaceSecret } from './useFeed.ts';

export type CalendarDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  feed: CalendarFeed;
  /** Called when a link is followed or copied. */
  onUse?: (() => void) | undefined;
};

/** Subscribes to a feed in a calendar app, and replaces the link of the feed. */
export function CalendarDialog({ open, onOpenChange, feed, onUse }: CalendarDialogProps) {
  const address = addressOf(feed);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={feed.kind === 'club' ? 'Club Calendar' : 'My Calendar'}
      description={
        feed.kind === 'club'
          ? `All events of ${feed.club_name} in your calendar app, kept up to date.`
          : 'The events you attend, of all your clubs, in your calendar app, kept up to date.'
      }
    >
      <div ref={focus} tabIndex={-1} className="flex flex-col gap-5 outline-none">
        <CalendarLinks feed={feed} onUse={onUse} />
        <CopyField label="Copy link" value={address} {...(onUse && { onCopied: onUse })} />
        <details className="group rounded-lg border border-line">
          <summary className="flex min-h-11 cursor-pointer list-none items-center gap-3 rounded-lg px-4 font-semibold focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
            <QrIcon aria-hidden className="size-5 text-accent" />
            QR code for another device
          </summary>
          <div className="flex flex-col items-center gap-3 px-4 pt-2 pb-5 text-center text-sm text-muted">
            <QrCode value={webcalLink(address)} label="QR code of the calendar link" />
            Scan it there with the camera.
          </div>
        </details>
        <p className="text-sm text-muted">
          Calendar apps look for changes by themselves: Apple every 5 minutes to once a day, Outlook every 1
          to 3 hours, Google every 12 to 24 hours.
        </p>
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
      <p className="font-semibold">Keep this link to yourself</p>
      <p className="mt-1 text-muted">
        Anyone who has it can read this calendar, and Google or Microsoft hold it once you add it there.
        Replace it if it got into the wrong hands.
      </p>
      <Button variant="secondary" size="sm" className="mt-3" onClick={ask}>
        <RefreshCw aria-hidden />
        Replace link
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Replace this link?"
        text="The old link lists its upcoming events as cancelled for 30 days, then stops working. Add the new link to your calendar apps."
        confirmLabel="Replace link"
        danger
        busy={replace.isPending}
        busyLabel="Replacing"
        onConfirm={() => replace.mutate({ leaked }, { onSettled: () => setAsking(false) })}
      >
        <Checkbox
          label="It leaked"
          hint="Turns off the old link immediately. Apps that use it may keep the events they have."
          checked={leaked}
          onChange={(event) => setLeaked(event.target.checked)}
        />
      </ConfirmDialog>
    </div>
  );
}
