import { useRef, useState } from 'react';
import { api } from '#web/api.ts';
import { queries, queryClient } from '#web/queries.ts';
import { notify, unexpected } from '#web/copy.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { Failure } from '#wire/client.ts';
import { isTooQuick, type Pace, withAttendance } from '#features/answers/rules.ts';
import type { Event } from '#features/events/contract.ts';
import { cancelEventQueries, changeEvent, refreshEvents, showEvent } from '#features/events/web/useEvent.ts';

export interface Attendance {
  attend: () => void;
  unattend: () => void;
  /** Runs the operation, unless the device is offline or the previous request was a moment ago: then it says so. */
  throttled: (operation: () => void) => void;
  /** Why the last request failed or was not sent, until the next one. */
  problem: string | null | undefined;
}

/** Attends or unattends an event with an optimistic update. */
export function useAttendance({ id, slug }: Pick<Event, 'id' | 'slug'>): Attendance {
  const pace = useRef<Pace>({ inFlight: false });
  const [problem, setProblem] = useState<string>();
  const network = useNeedsNetwork();
  const throttled = (operation: () => void) =>
    network.run(() => {
      if (isTooQuick(pace.current, performance.now())) notify('slowDown');
      else operation();
    });
  const send = async (going: boolean) => {
    pace.current = { inFlight: true };
    setProblem(undefined);
    await cancelEventQueries();
    show(id, going);
    try {
      showEvent({ id, ...(await api.answers[going ? 'attend' : 'unattend']({ event: slug })) });
    } catch (failure) {
      show(id, !going);
      notify(going ? 'attendFailed' : 'unattendFailed');
      setProblem(reasonOf(failure));
    }
    pace.current = { inFlight: false, answeredAt: performance.now() };
    void refreshEvents();
  };
  return {
    attend: () => throttled(() => void send(true)),
    unattend: () => throttled(() => void send(false)),
    throttled,
    problem: network.notice ?? problem,
  };
}

/** Shows the viewer among the attendees, or no longer. */
function show(id: string, going: boolean): void {
  const user = queryClient.getQueryData(queries.user().queryKey);
  if (!user) return;
  const me = {
    attendee_id: user.id,
    first_name: user.first_name,
    last_name: user.last_name,
    profile_picture_url: user.profile_picture_url,
  };
  changeEvent(id, (event) => withAttendance(event, me, going));
}

/** What the server says, unless it is at fault. */
const reasonOf = (failure: unknown): string =>
  failure instanceof Failure && failure.status < 500 ? failure.message : `${unexpected}.`;
