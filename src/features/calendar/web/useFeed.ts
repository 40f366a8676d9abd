import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queryClient, refreshUser } from '#web/queries.ts';
import { settings } from '#web/settings.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import { clubFeedPath, personalFeedPath } from '#features/calendar/rules.ts';
import { t } from '#features/calendar/link-messages.ts';

/** A calendar feed of the viewer. Each member has different secrets. */
export type CalendarFeed =
  | { kind: 'personal'; secret: string }
  | { kind: 'club'; club_id: string; club_name: string; secret: string };

/** Google Calendar on Android cannot subscribe to a link. */
export const isAndroid = (): boolean => /Android/.test(navigator.userAgent);

export const feedName = (feed: CalendarFeed): string =>
  feed.kind === 'club' ? feed.club_name : t('myEvents', { productName: settings.productName });

/** The URL of the feed for calendar apps. */
export const feedUrl = (feed: CalendarFeed): string =>
  window.location.origin +
  (feed.kind === 'club' ? clubFeedPath(feed.club_id, feed.secret) : personalFeedPath(feed.secret));

/** Replaces the secret of a feed and refetches the query that contains it. */
export const useReplaceSecret = (feed: CalendarFeed) =>
  useSubmit({
    mutationFn: async ({ leaked }: { leaked: boolean }) => {
      if (feed.kind === 'personal') {
        await api.calendar.replaceSecret({ leaked });
        return refreshUser();
      }
      await api.calendar.replaceSecret({ club_id: feed.club_id, leaked });
      return queryClient.invalidateQueries({ queryKey: ['club'] });
    },
    onSuccess: () =>
      showToast({
        title: t('calendarLinkReplaced'),
        text: t('calendarLinkReplacedText'),
      }),
    onError: (failure) => showToast({ title: t('linkNotReplaced'), text: explain(failure) }),
  });
