import { BellPlus, BellRing, Star } from 'lucide-react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { cn } from '#ui/class-names.ts';
import { IconButton } from '#ui/IconButton.tsx';
import { showEvent } from './useEvent.ts';
import { t } from '#features/events/messages.ts';

/** Toggles whether the event is a favourite, and whether the member follows its changes. */
export function FollowButtons({ event, now }: { event: Event; now: Instant }) {
  const favourite = useFavourite(event);
  const subscription = useFollow(event, 'subscribed', (on) =>
    api.answers[on ? 'subscribe' : 'unsubscribe']({ event: event.slug }),
  );
  if (isCancelled(event)) return null;
  // Attendees are notified of changes anyway, and past events do not change.
  const canSubscribe = event.my_role === null && !hasEnded(event, now);
  return (
    <div className="flex offline:hidden">
      {canSubscribe && (
        <IconButton
          icon={event.subscribed ? BellRing : BellPlus}
          label={t('follow')}
          aria-pressed={event.subscribed}
          tone={event.subscribed ? 'accent' : 'neutral'}
          onClick={() => subscription.mutate(!event.subscribed)}
        />
      )}
      <IconButton
        icon={Star}
        label={t('favourite')}
        aria-pressed={event.favourite}
        tone={event.favourite ? 'accent' : 'neutral'}
        className={cn(event.favourite && '[&_svg]:fill-current')}
        onClick={() => favourite.mutate(!event.favourite)}
      />
    </div>
  );
}

export const useFavourite = (event: Event) =>
  useFollow(event, 'favourite', (on) => api.answers.favourite({ event: event.slug, favourite: on }));

/** Toggles a flag with an optimistic update. */
const useFollow = (
  { id }: Event,
  flag: 'favourite' | 'subscribed',
  send: (on: boolean) => Promise<Partial<Event>>,
) =>
  useSubmit({
    mutationFn: send,
    onMutate: async (on) => {
      await queryClient.cancelQueries({ queryKey: ['event'] });
      showEvent({ id, [flag]: on });
    },
    onSuccess: (saved) => showEvent({ id, ...saved }),
    onError: (failure, on) => {
      showEvent({ id, [flag]: !on });
      showToast({ title: t('choiceNotSaved'), text: explain(failure) });
    },
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['event'] }),
  });
