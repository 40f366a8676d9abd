import { CodeNotice } from './CodeNotice.tsx';
import { CodeQuestion } from './CodeQuestion.tsx';
import type { LoginCode } from './useLoginCode.ts';
import type { RequestedCode } from './useRequestCode.ts';
import { t } from '#features/auth/messages.ts';

type CodeStepProps = {
  code: LoginCode;
  busy: boolean;
  onConfirm: (code: string) => void;
  onSent: (code: RequestedCode) => void;
  onReopen: () => void;
  onClose: () => void;
};

/** The dialog for the code or, once it is closed, the notice about the code. */
export default function CodeStep({ code, onSent, onReopen, onClose, ...confirmation }: CodeStepProps) {
  return code.open ? (
    <CodeQuestion
      key={code.receivedAt}
      {...code}
      {...confirmation}
      title={t('enterYourCode')}
      description={t('enterYourCodeText')}
      confirmLabel={t('confirmCode')}
      auto
      onSent={onSent}
      onClose={onClose}
    />
  ) : (
    <CodeNotice key={code.failedAt} code={code} onReopen={onReopen} {...confirmation} />
  );
}
