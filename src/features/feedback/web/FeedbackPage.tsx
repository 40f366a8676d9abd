import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useDraft } from '#web/useDraft.ts';
import { useTitle } from '#web/useTitle.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { Field } from '#ui/Field.tsx';
import { PageHeader } from '#ui/PageHeader.tsx';
import { TextArea } from '#ui/TextArea.tsx';

export default function FeedbackPage() {
  const [feedback, setFeedback] = useDraft('');
  const [missing, setMissing] = useState(false);
  const [thanked, setThanked] = useState(false);
  const notifyFailure = useFailureToast();
  const sending = useSubmit({
    mutationFn: () => api.feedback.send({ feedback }),
    onSuccess: () => {
      setFeedback('');
      setThanked(true);
    },
    onError: () => notifyFailure('feedbackFailed'),
  });
  useTitle('Feedback');

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setMissing(!feedback.trim());
    if (feedback.trim()) return sending.mutate();
    notifyFailure('feedbackMissing');
    event.currentTarget.querySelector('textarea')?.focus();
  };
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title="Feedback" text="What do you like? What's missing? What gets in your way?" />
      <Card asChild>
        <form onSubmit={submit} noValidate className="flex flex-col gap-5">
          <Field label="Your feedback" error={missing && 'Tell us a word or two.'}>
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
          <NotSaved title="Your feedback wasn't sent" reason={sending.error && sentence(sending.error)} />
          <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-between">
            <Button asChild variant="secondary">
              <Link to="/app">Home</Link>
            </Button>
            <Button type="submit" busy={sending.isPending} busyLabel="Submitting">
              Submit
            </Button>
          </div>
        </form>
      </Card>
      <Dialog
        open={thanked}
        onOpenChange={setThanked}
        title="Success!"
        description="Thank you for your feedback!"
        size="sm"
        footer={
          <>
            <Button variant="secondary" onClick={() => setThanked(false)}>
              Submit more!
            </Button>
            <Button asChild>
              <Link to="/app">Home</Link>
            </Button>
          </>
        }
      />
    </div>
  );
}
