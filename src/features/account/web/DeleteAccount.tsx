import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { endSession } from '#web/first/session.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import type { ClubChoice } from '#features/account/contract.ts';
import { CodeQuestion } from '#features/auth/web/CodeQuestion.tsx';
import { useFreshCode } from '#features/auth/web/useFreshCode.ts';
import { Button } from '#ui/Button.tsx';
import { Failure } from '#wire/client.ts';
import { DeletionDialog } from './DeletionDialog.tsx';
import { t } from '#features/account/messages.ts';

/** Deletes the account in two steps: a dialog about the consequences and successors, then a confirmation code. */
export function DeleteAccount({ email }: { email: string }) {
  const [asking, setAsking] = useState(false);
  const [choices, setChoices] = useState<ClubChoice[]>([]);
  const codeRequest = useFreshCode(email, 'deletion');
  const remove = useDeletion(codeRequest.forget);
  return (
    <section
      aria-labelledby="delete-account"
      className="flex flex-wrap items-center justify-between gap-4 rounded-xl border border-danger/40 p-5 sm:p-6"
    >
      <div className="min-w-0 flex-1 basis-64">
        <h3 id="delete-account" className="text-lg font-bold">
          {t('deleteYourAccount')}
        </h3>
        <p className="mt-1 text-sm text-muted">{t('deleteYourAccountText')}</p>
      </div>
      <Button variant="secondary" className="text-danger!" onClick={() => setAsking(true)}>
        <Trash2 aria-hidden />
        {t('deleteAccount')}
      </Button>
      {asking && (
        <DeletionDialog
          busy={codeRequest.isPending}
          onClose={() => setAsking(false)}
          onDecided={(decided) => {
            setChoices(decided);
            remove.reset();
            codeRequest.request();
          }}
        />
      )}
      {codeRequest.sent && (
        <CodeQuestion
          key={codeRequest.sent.sentAt}
          {...codeRequest.sent}
          purpose="deletion"
          title={t('deleteYourAccount')}
          description={t('deletionCodeText')}
          confirmLabel={t('deleteAccountForGood')}
          danger
          busy={remove.isPending}
          error={remove.error ? explain(remove.error) : undefined}
          onSent={(...sent) => {
            remove.reset();
            codeRequest.remember(...sent);
          }}
          onConfirm={(code) => remove.mutate({ code, choices })}
          onClose={codeRequest.forget}
        />
      )}
    </section>
  );
}

/** `onUndecided` is called if a club has changed since the user's choices and needs a new choice. */
const useDeletion = (onUndecided: () => void) =>
  useSubmit({
    mutationFn: (request: { code: string; choices: ClubChoice[] }) =>
      endSession(() => api.account.remove(request)),
    onSuccess: () => showToast({ title: t('yourAccountIsDeleted'), text: t('yourAccountIsDeletedText') }),
    onError: async (failure) => {
      if (!(failure instanceof Failure && failure.error === 'choice_missing')) return;
      await queryClient.invalidateQueries(queries.deletion());
      showToast({ title: t('oneMoreQuestion'), text: explain(failure) });
      onUndecided();
    },
  });
