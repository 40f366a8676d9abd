import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { queryClient } from '#web/queries.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { MemberAnswer } from '#features/events/answers/contract.ts';
import type { Choice } from '#features/events/choice-contract.ts';
import type { Event } from '#features/events/contract.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { fullName } from '#features/members/rules.ts';
import { t } from '#features/events/answers/messages.ts';

/** Answers for a member. The lists are not reloaded at once, so that the member stays where the viewer is looking. */
export function useAnswerFor({ id, slug }: Pick<Event, 'id' | 'slug'>, member: MemberAnswer) {
  const network = useNeedsNetwork();
  const save = useSubmit({
    mutationFn: (request: { answer: Choice; over?: true }) =>
      api.answers.answerFor({ event: id, user: member.id, ...request }),
    onSuccess: async ({ answer }) => {
      const name = fullName(member);
      showToast({
        title: {
          going: t('isGoing', { name }),
          waiting: t('isWaiting', { name }),
          maybe: t('isMaybe', { name }),
          no: t('isNo', { name }),
        }[answer],
      });
      await queryClient.invalidateQueries({ queryKey: ['answers', slug], refetchType: 'none' });
      await refreshEvents();
    },
    onError: (failure) => showToast({ title: t('answerNotSaved'), text: explain(failure) }),
  });
  return {
    /** The answer that was given here since the list was loaded. */
    saved: save.data,
    busy: save.isPending,
    problem: network.notice,
    /** With `isOver`, the member gets a seat even beyond the capacity. */
    answerFor: (answer: Choice, isOver: boolean) =>
      network.run(() => save.mutate({ answer, ...(isOver && { over: true }) })),
  };
}
