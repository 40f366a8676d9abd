import { useQuery } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { useNow } from '#web/useNow.ts';
import type { CalendarApp } from '#features/calendar/contract.ts';
import { relativeTime } from '#wire/format.ts';
import { t } from '#features/calendar/link-messages.ts';
import { t as ofCalendar } from '#features/calendar/messages.ts';
import type { CalendarFeed } from './useFeed.ts';

const apps = (): Record<CalendarApp, { name: string; howOften: string }> => ({
  google: { name: t('google'), howOften: t('googleLooks') },
  apple: { name: t('appleApp'), howOften: t('appleLooks') },
  outlook: { name: ofCalendar('outlook'), howOften: t('outlookLooks') },
  other: { name: t('otherApp'), howOften: t('otherLooks') },
});

/** Shows how often each kind of app fetches and, if the server has responded, when it last fetched the feed. */
export function Fetches({ feed }: { feed: CalendarFeed }) {
  const now = useNow();
  const { data } = useQuery({
    // A new address has not been fetched yet.
    queryKey: ['fetches', feed.secret],
    queryFn: () => api.calendar.fetches({}),
  });
  const club = feed.kind === 'club' ? feed.club_id : null;
  const fetches = data?.filter(({ club_id }) => club_id === club) ?? [];
  if (fetches.length === 0)
    return (
      <div className="text-sm text-muted">
        {data && <p className="font-semibold text-ink">{t('notFetchedYet')}</p>}
        <p>{t('howOftenAppsLook')}</p>
      </div>
    );
  return (
    <section aria-label={t('lastFetched')}>
      <h3 className="text-sm font-semibold">{t('lastFetched')}</h3>
      <ul className="mt-1 space-y-2 text-sm">
        {fetches.map(({ app, fetched_at }) => (
          <li key={app}>
            <p>{t('fetchedBy', { app: apps()[app].name, ago: relativeTime(fetched_at, now) })}</p>
            <p className="text-muted">{apps()[app].howOften}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
