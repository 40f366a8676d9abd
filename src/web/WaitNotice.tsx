import { Hourglass } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { Button } from '#ui/Button.tsx';
import { durationWords } from '#wire/duration.ts';
import { nextRetry, onWaits, stopWaiting } from './waits.ts';
import { t } from '#web/messages.ts';
import { deviceTime } from '#wire/server-time.ts';

/** Tells the user that requests wait for a retry, with a button to stop waiting. */
function WaitNotice() {
  const until = useSyncExternalStore(onWaits, nextRetry);
  if (until === undefined) return null;
  return (
    // Marked like a toast, so that a click on it does not count as a click outside an open dialog.
    <div
      data-toasts
      className="pointer-events-auto flex animate-rise-in flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line bg-raised py-3 pr-3 pl-4 text-ink shadow-lg"
    >
      <Hourglass aria-hidden className="size-5 shrink-0 text-warn" />
      <div className="min-w-0 flex-1 basis-36">
        <p className="font-semibold">{t('serverBusy')}</p>
        <TimeLeft until={until} />
      </div>
      <Button variant="secondary" size="sm" onClick={stopWaiting}>
        {t('stopWaiting')}
      </Button>
    </div>
  );
}

/** `aria-live` is off, so that screen readers announce the time once, with the notice, and not every second. */
function TimeLeft({ until }: { until: number }) {
  const [now, setNow] = useState(deviceTime);
  useEffect(() => {
    const timer = setInterval(() => setNow(deviceTime()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  return (
    <p role="timer" aria-live="off" className="text-sm text-muted tabular-nums">
      {seconds < 60
        ? t('tryingAgainInSeconds', { n: seconds })
        : t('tryingAgainIn', { left: durationWords(now, until) })}
    </p>
  );
}

// Has its own React root, because requests can wait before the first screen is rendered. The live region must be in the
// page before its text, or screen readers do not announce it.
const container = document.createElement('div');
container.role = 'status';
container.ariaLive = 'polite';
// Opposite the toasts. On a phone, the notice moves to the top while a dialog is open, whose buttons are at the bottom, and
// leaves room for its close button.
container.className =
  'pointer-events-none fixed inset-x-0 bottom-[max(1rem,env(safe-area-inset-bottom))] z-65 px-4 sm:right-auto sm:w-104 max-sm:in-[body:has([data-scrim])]:top-4 max-sm:in-[body:has([data-scrim])]:pr-18 max-sm:in-[body:has([data-scrim])]:bottom-auto';
document.body.append(container);
createRoot(container).render(<WaitNotice />);
