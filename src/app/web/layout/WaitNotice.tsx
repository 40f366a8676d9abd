import { Hourglass } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { Button } from '#ui/Button.tsx';
import { durationWords } from '#ui/format.ts';
import { nextRetry, onWaits, stopWaiting } from '#web/waits.ts';

/** Says that calls wait because the server asked for it, and lets the user stop that. */
function WaitNotice() {
  const until = useSyncExternalStore(onWaits, nextRetry);
  if (until === undefined) return null;
  return (
    // Like a toast, it is no place outside of an open dialog.
    <div
      data-toasts
      className="pointer-events-auto flex animate-rise-in flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line bg-raised py-3 pr-3 pl-4 text-ink shadow-lg"
    >
      <Hourglass aria-hidden className="size-5 shrink-0 text-warn" />
      <div className="min-w-0 flex-1 basis-36">
        <p className="font-semibold">The server is busy</p>
        <TimeLeft until={until} />
      </div>
      <Button variant="secondary" size="sm" onClick={stopWaiting}>
        Stop waiting
      </Button>
    </div>
  );
}

/** Read out once, with the rest of the notice, and not every second. */
function TimeLeft({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const left = seconds < 60 ? `${seconds} s` : durationWords(now, until);
  return (
    <p role="timer" aria-live="off" className="text-sm text-muted tabular-nums">
      Trying again in {left}
    </p>
  );
}

// A root of its own, since calls wait before the first screen is there as well. The live region stands in the page before
// its words do, or they would not be read out.
const place = document.createElement('div');
place.role = 'status';
place.ariaLive = 'polite';
// Opposite to toasts; on a phone an open dialog has its buttons at the foot.
place.className =
  'pointer-events-none fixed inset-x-0 bottom-[max(1rem,env(safe-area-inset-bottom))] z-65 px-4 sm:right-auto sm:w-104 max-sm:in-[body:has([data-scrim])]:top-4 max-sm:in-[body:has([data-scrim])]:bottom-auto';
document.body.append(place);
createRoot(place).render(<WaitNotice />);
