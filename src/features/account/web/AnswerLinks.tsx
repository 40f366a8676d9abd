import { useState } from 'react';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { Button } from '#ui/Button.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { t } from '#features/account/messages.ts';

/** A button that replaces the user's answer links. The links in earlier emails stop working. */
export function AnswerLinks() {
  const [asking, setAsking] = useState(false);
  const replace = useSubmit({
    mutationFn: () => api.answers.replaceLinks({}),
    onSettled: () => setAsking(false),
  });
  return (
    <section aria-labelledby="answer-links">
      <h3 id="answer-links" className="text-lg font-bold">
        {t('answerLinks')}
      </h3>
      <p className="mt-1 text-sm text-muted">{t('answerLinksText')}</p>
      <Button variant="secondary" className="mt-3" onClick={() => setAsking(true)}>
        {t('replaceAnswerLinks')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('replaceAnswerLinksQuestion')}
        text={t('replaceAnswerLinksQuestionText')}
        confirmLabel={t('replaceAnswerLinks')}
        danger
        busy={replace.isPending}
        onConfirm={() => replace.mutate()}
      />
      <p role="status" className="mt-2 text-sm font-semibold text-ok empty:hidden">
        {replace.isSuccess && t('answerLinksReplaced')}
      </p>
      <InlineError className="mt-2">
        {replace.error && t('answerLinksNotReplaced', { reason: sentence(replace.error) })}
      </InlineError>
    </section>
  );
}
