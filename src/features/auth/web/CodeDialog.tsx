import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { beginSession } from '#web/session.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import { Failure } from '#wire/client.ts';
import { normalCode } from '../rules.ts';
import { CodeQuestion } from './CodeQuestion.tsx';
import type { CodeFailure } from './useLoginCode.ts';
import type { SentCode } from './useRequestCode.ts';
import { t } from '#features/auth/messages.ts';

type CodeDialogProps = SentCode & {
  /** The wrong codes that were entered. Each is sent once, because the server counts wrong tries. */
  wrongCodes: Set<string>;
  onSent: (code: SentCode) => void;
  onClose: (failure?: CodeFailure) => void;
  onEnter: () => void | Promise<void>;
};

export function CodeDialog({ wrongCodes, onClose, onEnter, ...sending }: CodeDialogProps) {
  const { email } = sending;
  const failWith = (failure: CodeFailure) => {
    notify('loginFailed');
    onClose(failure);
  };
  const confirm = useSubmit({
    mutationFn: async (code: string) => {
      beginSession(await api.auth.confirm({ email, code }));
      await onEnter();
    },
    onError(error, code) {
      const failure = failureOf(error);
      if (failure.why === 'wrong') wrongCodes.add(normalCode(code));
      failWith(failure);
    },
  });
  return (
    <CodeQuestion
      {...sending}
      title={t('enterYourCode')}
      description={t('enterYourCodeText')}
      confirmLabel={t('confirmCode')}
      auto
      busy={confirm.isPending}
      onConfirm={(code) =>
        wrongCodes.has(normalCode(code)) ? failWith({ why: 'repeated' }) : confirm.mutate(code)
      }
      onClose={() => onClose()}
    />
  );
}

function failureOf(error: Error): CodeFailure {
  const { status, retryAfter = 0 } = error instanceof Failure ? error : new Failure();
  if (status === 400) return { why: 'wrong' };
  if (status === 429) return { why: 'locked', until: Date.now() + retryAfter * 1000 };
  return { why: 'unchecked', message: sentence(error) };
}
