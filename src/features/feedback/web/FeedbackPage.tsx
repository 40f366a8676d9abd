import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { api } from '#web/api.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { sentence } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useDraft } from '#web/useDraft.ts';
import { useTitle } from '#web/useTitle.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import { isBlank } from '#wire/blank.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { Field } from '#ui/Field.tsx';
import { PageHeader } from '#ui/PageHeader.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { t } from '#features/feedback/messages.ts';

export default function FeedbackPage() {
  const [feedback, setFeedback, kept] = useDraft('feedback', '');
  const [missing, setMissing] = useState(false);
  const [thanked, setThanked] = useState(false);
  const showFailure = useFailureToast();
  const sending = useSubmit({
    mutationFn: () => api.feedback.send({ feedback }),
    onSuccess: () => {
      setFeedback('');
      setThanked(true);
    },
    onError: () => showFailure('feedbackFailed'),
  });
  useTitle(t('feedback'));

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setMissing(isBlank(feedback));
    if (!isBlank(feedback)) return sending.mutate();
    showFailure('feedbackMissing');
    event.currentTarget.querySelector('textarea')?.focus();
  };
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t('feedback')} text={t('feedbackText')} />
      <DraftNotice of={kept} />
      <Card asChild>
        <form onSubmit={submit} noValidate className="flex flex-col gap-5">
          <Field label={t('yourFeedback')} error={missing && t('feedbackMissing')}>
            <TextArea
              rows={8}
              value={feedback}
              maxLength={5000}
              onChange={(event) => {
                setFeedback(event.target.value);
                setMissing(false);
              }}
            />
          </Field>
          <NotSaved title={t('feedbackNotSent')} reason={sending.error && sentence(sending.error)} />
          <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-between">
            <Button asChild variant="secondary">
              <Link to="/app">{t('home')}</Link>
            </Button>
            <Button type="submit" busy={sending.isPending} busyLabel={t('submitting')}>
              {t('submit')}
            </Button>
          </div>
        </form>
      </Card>
      <Dialog
        open={thanked}
        onOpenChange={setThanked}
        title={t('success')}
        description={t('successText')}
        size="sm"
        footer={
          <>
            <Button variant="secondary" onClick={() => setThanked(false)}>
              {t('submitMore')}
            </Button>
            <Button asChild>
              <Link to="/app">{t('home')}</Link>
            </Button>
          </>
        }
      />
    </div>
  );
}
