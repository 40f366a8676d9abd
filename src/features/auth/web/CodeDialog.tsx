import { api } from '#web/api.ts';
import { beginSession } from '#web/session.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import { CodeQuestion } from './CodeQuestion.tsx';
import type { SentCode } from './useSentCode.ts';

type CodeDialogProps = SentCode & {
  onSent: (email: string, from: string) => void;
  onClose: () => void;
  onEnter: () => void | Promise<void>;
};

export function CodeDialog({ onEnter, ...sending }: CodeDialogProps) {
  const { email, onClose } = sending;
  const confirm = useSubmit({
    mutationFn: async (code: string) => {
      beginSession(await api.auth.confirm({ email, code }));
      await onEnter();
    },
    onError: () => {
      notify('loginFailed');
      onClose();
    },
  });
  return (
    <CodeQuestion
      {...sending}
      title="Enter your code?"
      description="Check your email for the code and enter it below."
      confirmLabel="Confirm Code"
      busy={confirm.isPending}
      onConfirm={(code) => confirm.mutate(code)}
    />
  );
}
