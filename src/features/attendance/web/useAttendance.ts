import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from '#web/api.ts';
import { queryClient } from '#web/queries.ts';
import { useUser } from '#web/useSession.ts';
import { notify } from '#web/copy.ts';
import { isTooQuick, type Pace, withAttendance } from '#features/attendance/rules.ts';
import type { Event } from '#features/events/contract.ts';
import { refreshEvents, showEvent } from '#features/events/web/useEvent.ts';

export interface Attendance {
  attend: () => void;
  unattend: () => void;
  /** Runs the operation, or shows a toast if it follows the previous request too quickly. */
  throttled: (operation: () => void) => void;
}

/** Attends or unattends an event with an optimistic update. */
export function useAttendance(event: Event): Attendance {
  const { id: attendee_id, first_name, last_name, profile_picture_url } = useUser();
  const me = { attendee_id, first_name, last_name, profile_picture_url };
  const pace = useRef<Pace>({ inFlight: false });
  const { mutate } = useMutation({
    mutationFn: (going: boolean) => api.attendance[going ? 'attend' : 'unattend']({ event: event.slug }),
    onMutate: async (going) => {
      await queryClient.cancelQueries({ queryKey: ['event'] });
      showEvent(withAttendance(event, me, going));
      return event;
    },
    onSuccess: (saved) => showEvent({ id: event.id, ...saved }),
    onError: (_failure, going, previous) => {
      if (previous) showEvent(previous);
      notify(going ? 'attendFailed' : 'unattendFailed');
    },
    onSettled: () => {
      pace.current = { inFlight: false, answeredAt: performance.now() };
      void refreshEvents();
    },
  });
  const throttled = (operation: () => void) => {
    if (isTooQuick(pace.current, performance.now())) notify('slowDown');
    else operation();
  };
  const send = (going: boolean) =>
    throttled(() => {
      pace.current = { inFlight: true };
      mutate(going);
    });
  return { attend: () => send(true), unattend: () => send(false), throttled };
}
