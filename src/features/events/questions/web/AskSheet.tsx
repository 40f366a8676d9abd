import { useState } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { sentence } from '#web/explain.ts';
import { useDraft } from '#web/useDraft.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Event } from '#features/events/contract.ts';
import { maxQuestionLength } from '#features/events/question-contract.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { isBlank } from '#wire/blank.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { Field } from '#ui/Field.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { t } from '#features/events/questions/form-messages.ts';
import { t as ofQuestions } from '#features/events/questions/messages.ts';

type AskSheetProps = { event: Event; onClose: () => void };

/** Sends a question to the hosts of an event. */
export default function AskSheet({ event, onClose }: AskSheetProps) {
  const [question, setQuestion, kept] = useDraft(`question:${event.id}`, '');
  const [wasEmpty, setWasEmpty] = useState(false);
  const isEmpty = isBlank(question);
  const send = useSubmit({
    mutationFn: () => api.questions.ask({ event: event.slug, question }),
    onSuccess: async () => {
      kept.forget();
      showToast({ title: t('sent') });
      onClose();
      await refreshEvents();
    },
  });
  const submit = () => {
    setWasEmpty(isEmpty);
    if (!isEmpty) send.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={ofQuestions('askTheHosts')}
      description={event.name}
      footer={
        <Button busy={send.isPending} busyLabel={t('sending')} onClick={submit}>
          {t('send')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <DraftNotice of={kept} />
        <NotSaved title={t('notSent')} reason={send.error && sentence(send.error)} />
        <Field
          label={t('question')}
          hint={t('withoutName')}
          error={wasEmpty && isEmpty && ofQuestions('writeSomething')}
        >
          <TextArea
            rows={4}
            value={question}
            maxLength={maxQuestionLength}
            autoFocus
            onChange={({ target }) => setQuestion(target.value)}
          />
        </Field>
      </div>
    </Dialog>
  );
}
