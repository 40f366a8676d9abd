import { useState } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { sentence } from '#web/explain.ts';
import { useDraft } from '#web/useDraft.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { maxAnswerLength, type Question } from '#features/events/question-contract.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { isBlank } from '#wire/blank.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Field } from '#ui/Field.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { t } from '#features/events/questions/messages.ts';

/** Answers a question, for its author alone or for everyone, or changes the answer. */
export function AnswerForm({ question }: { question: Question }) {
  const { id, version, author } = question;
  const [isOpen, setOpen] = useState(question.answer === '');
  const [answer, setAnswer, kept] = useDraft(`answer:${id}`, question.answer);
  const [wasEmpty, setWasEmpty] = useState(false);
  const isEmpty = isBlank(answer);
  const save = useSubmit({
    mutationFn: (shared: boolean) => api.questions.answer({ question: id, answer, shared }, version),
    onSuccess: async () => {
      kept.forget();
      showToast({ title: t('answerSent') });
      setOpen(false);
      await refreshEvents();
    },
    // Another host may have answered.
    onError: () => void refreshEvents(),
  });
  if (!isOpen)
    return (
      <Button variant="ghost" size="sm" className="mt-1 -ml-3 offline:hidden" onClick={() => setOpen(true)}>
        {t('changeAnswer')}
      </Button>
    );
  const send = (shared: boolean) => {
    setWasEmpty(isEmpty);
    if (!isEmpty) save.mutate(shared);
  };
  return (
    <div className="mt-3 flex flex-col gap-3">
      <NotSaved title={t('answerNotSent')} reason={save.error && sentence(save.error)} />
      <Field label={t('answer')} error={wasEmpty && isEmpty && t('writeSomething')}>
        <TextArea
          rows={2}
          value={answer}
          maxLength={maxAnswerLength}
          onChange={({ target }) => setAnswer(target.value)}
        />
      </Field>
      <div className="flex flex-wrap gap-2">
        {[false, true].map((shared) => (
          <Button
            key={String(shared)}
            variant="secondary"
            size="sm"
            className="shrink wrap-anywhere"
            busy={save.isPending && save.variables === shared}
            busyLabel={t('saving')}
            onClick={() => send(shared)}
          >
            {shared ? t('answerEveryone') : t('answerTo', { name: author?.first_name ?? '' })}
          </Button>
        ))}
      </div>
    </div>
  );
}
