import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queryClient, refreshUser } from '#web/queries.ts';
import { settings } from '#web/settings.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import { clubFeedPath, personalFeedPath } from '#features/calendar/rules.ts';

/** A calendar feed of the viewer. Other members have other secrets. */
export type CalendarFeed =
  | { kind: 'personal'; secret: string }
  | { kind: 'club'; club_id: string; club_name: string; secret: string };

export const nameOf = (feed: CalendarFeed): string =>
  feed.kind === 'club' ? feed.club_name : `My ${settings.productName} events`;

/** The URL of the feed for calendar apps. */
export const addressOf = (feed: CalendarFeed): string =>
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
      notify({
        title: 'Calendar link replaced',
        text: 'Add the new link to your calendar apps.',
      }),
    onError: (failure) => notify({ title: 'Error', text: explain(failure) }),
  });
