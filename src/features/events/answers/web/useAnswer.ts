import { useRef, useState } from 'react';
import { api } from '#web/api.ts';
import { queries, queryClient } from '#web/queries.ts';
import { showToast } from '#web/copy.ts';
import { sentence } from '#web/explain.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { onWaits } from '#web/waits.ts';
import { Failure } from '#wire/client.ts';
import type { SavedAnswer } from '#features/events/answers/contract.ts';
import { isTooQuick, type Pace, withAnswer } from '#features/events/answers/rules.ts';
import type { Answer, Choice } from '#features/events/choice-contract.ts';
import type { Event, EventCard } from '#features/events/contract.ts';
import { cancelEventQueries, changeEvent, refreshEvents, showEvent } from '#features/events/web/useEvent.ts';

/**
 * Answers an event with an optimistic update. With `onSaved`, the answer is shown once it is saved: the row that shows
 * it leaves its list then, and a failed answer has to stay in its row.
 */
export function useAnswer(event: Event | EventCard, onSaved?: (saved: SavedAnswer) => void) {
  const { id, slug, my_answer, must_confirm } = event;
  const pace = useRef<Pace>({ inFlight: false });
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState<Choice>();
  const network = useNeedsNetwork();
  /**
   * Runs the operation, unless the device is offline, or the last request is pending or ended less than a second ago.
   * In these cases, shows the reason.
   */
  const throttled = (operation: () => void) =>
    network.run(() => {
      if (isTooQuick(pace.current, performance.now())) showToast('slowDown');
      else operation();
    });
  const send = async (answer: Choice, notSaved?: string) => {
    pace.current = { inFlight: true };
    setProblem(undefined);
    setSending(answer);
    await cancelEventQueries();
    if (!onSaved) showAnswer(id, answer);
    try {
      if (onSaved) {
        const saved = await inTurn(id, () => api.answers.answer({ event: slug, answer }));
        showAnswer(id, answer);
        showEvent({ id, ...saved });
        onSaved(saved);
      } else showEvent({ id, ...(await inTurn(id, () => call(slug, answer, must_confirm))) });
    } catch (failure) {
      if (!onSaved) {
        showAnswer(id, my_answer, 'my_guests' in event ? event.my_guests : 0);
        showEvent({ id, must_confirm });
      }
      const reason = reasonOf(failure);
      showToast(
        notSaved ? { title: notSaved, text: reason } : answer === 'no' ? 'unattendFailed' : 'attendFailed',
      );
      setProblem(reason);
    }
    setSending(undefined);
    pace.current = { inFlight: false, answeredAt: performance.now() };
    void refreshEvents();
  };
  return {
    /** `notSaved` is the title of the toast after a failure. Attending and unattending have their own toasts. */
    answer: (answer: Choice, notSaved?: string) => throttled(() => void send(answer, notSaved)),
    throttled,
    /** The answer that is being sent. */
    sending,
    /** Why the last request failed or was not sent, until the next request. */
    problem: network.notice ?? problem,
  };
}

/** A confirmation uses the `answer` endpoint, which accepts it after the cut-off; `attend` does not. */
const call = (event: string, answer: Choice, confirms: boolean) =>
  answer === 'maybe' || confirms
    ? api.answers.answer({ event, answer })
    : api.answers[answer === 'going' ? 'attend' : 'unattend']({ event });

/** The choice that led to this answer. */
export const choiceOf = (answer: Answer): Choice => (answer === 'waiting' ? 'going' : answer);

const last = new Map<string, Promise<unknown>>();

/** Sends writes about an event one by one, so that a retry of a number of guests cannot replace a later 'no'. */
export function inTurn<Result>(event: string, send: () => Promise<Result>): Promise<Result> {
  const result = Promise.resolve(last.get(event)).then(() => withSlowDown(send));
  last.set(
    event,
    result.catch(() => {}),
  );
  return result;
}

/** Saves the viewer's reply to the question of an event. */
export const saveReply = ({ id, slug }: Pick<Event, 'id' | 'slug'>, answer: Answer, reply: string) =>
  inTurn(id, () => api.answers.answer({ event: slug, answer: choiceOf(answer), reply }));

/** Shows a toast when the server rejects the call as too frequent, and the client waits before it retries. */
async function withSlowDown<Result>(send: () => Promise<Result>): Promise<Result> {
  const stop = onWaits(() => {
    stop();
    showToast('slowDown');
  });
  return send().finally(stop);
}

/** Shows an answer of the viewer in all cached responses. */
export function showAnswer(id: string, answer: Answer | null, guests?: number): void {
  const user = queryClient.getQueryData(queries.user().queryKey);
  if (!user) return;
  const me = {
    attendee_id: user.id,
    first_name: user.first_name,
    last_name: user.last_name,
    profile_picture_url: user.profile_picture_url,
  };
  changeEvent(id, (event) => withAnswer(event, me, answer, guests));
}

/** The message of the server, unless it is an internal error. */
export const reasonOf = (failure: unknown): string =>
  sentence(failure instanceof Failure && failure.status < 500 ? failure : undefined);
