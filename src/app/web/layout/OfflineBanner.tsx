import { useSyncExternalStore } from 'react';
import { queryClient } from '#web/queries.ts';
import { useOnline } from '#web/useOnline.ts';
import { NetworkFailure } from '#wire/client.ts';
import { isToday, shortDayAndTime, timeOfDay } from '#wire/format.ts';
import { t } from '#app/web/messages.ts';
import { deviceTime } from '#wire/server-time.ts';

/**
 * Shown while offline, or while the screen's reads get no response. Shows the time of the screen's data. theme.css
 * hides the controls that need a network.
 */
export function OfflineBanner() {
  const online = useOnline();
  const isStale = useSyncExternalStore(onQueries, isReadingFailed, () => false);
  return <div role="status">{(!online || isStale) && <Notice />}</div>;
}

function Notice() {
  const at = useSyncExternalStore(onQueries, oldestShown);
  return (
    <p data-offline className="bg-warn-soft px-4 py-2.5 text-center text-sm font-semibold text-warn">
      {at === Infinity ? t('offlineBanner') : t('offlineAsOf', { time: clockOf(at) })}
    </p>
  );
}

const queries = queryClient.getQueryCache();
const onQueries = (listener: () => void) => queries.subscribe(listener);

const shown = () => queries.findAll({ type: 'active' });
const isReadingFailed = () => shown().some(({ state }) => state.error instanceof NetworkFailure);

/** The time of the screen's oldest data, in milliseconds. Infinity if the screen shows no data. */
const oldestShown = () => Math.min(...shown().map(({ state }) => state.dataUpdatedAt || Infinity));

/** The time, with the day unless it is today. */
const clockOf = (at: number): string => (isToday(at, deviceTime()) ? timeOfDay(at) : shortDayAndTime(at));
