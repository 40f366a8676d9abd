import { useId, useState } from 'react';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { CodeInput } from '#ui/CodeInput.tsx';
import { Field } from '#ui/Field.tsx';
import { timeOfDay } from '#wire/format.ts';
import { type CodeFailure, isUsedUp, type LoginCode } from './useLoginCode.ts';
import { useSecondsLeft } from './useSecondsLeft.ts';
import { t } from '#features/auth/messages.ts';

const halfDay = 12 * 60 * 60;

const titles = (): Record<CodeFailure['why'], string> => ({
  wrong: t('wrongCode'),
  repeated: t('wrongCode'),
  locked: t('youCanTryAgain'),
  unchecked: t('codeUnchecked'),
});

const lockedTexts = (isGood: boolean, isTomorrow: boolean) => {
  if (isGood) return isTomorrow ? 'lockedUntilTomorrow' : 'lockedUntil';
  return isTomorrow ? 'lockedUntilTomorrowOrNewCode' : 'lockedUntilOrNewCode';
};

type CodeNoticeProps = {
  code: LoginCode;
  busy: boolean;
  onConfirm: (code: string) => void;
  onReopen: () => void;
};

/**
 * The notice on the login card after the dialog was closed. It says what happened to the code and what the user can do.
 * After a failure, the user can enter the code again in this notice.
 */
export function CodeNotice({ code, busy, onConfirm, onReopen }: CodeNoticeProps) {
  const { email, sentAt, receivedAt: askedAt, good_for, next_in, failure } = code;
  const [entered, setEntered] = useState('');
  const titleId = useId();
  const isGood = useSecondsLeft(askedAt, good_for) > 0 && !isUsedUp(code);
  const nextIn = useSecondsLeft(askedAt, next_in);
  const lockedUntil = failure?.why === 'locked' ? failure.until : askedAt;
  const lockedFor = useSecondsLeft(askedAt, (lockedUntil - askedAt) / 1000);
  const isRetry = failure && failure.why !== 'locked';
  const title = lockedFor > 0 ? t('tooManyWrongCodes') : failure && titles()[failure.why];
  const time = timeOfDay(sentAt);
  return (
    <>
      <Banner
        tone={isRetry || lockedFor > 0 ? 'error' : 'neutral'}
        role={failure ? 'alert' : 'status'}
        title={title && <span id={titleId}>{title}</span>}
        action={
          isGood &&
          lockedFor === 0 &&
          !isRetry && (
            <Button variant="secondary" className="w-full" onClick={onReopen}>
              {t('enterTheCodeAgain')}
            </Button>
          )
        }
        className="mb-6 wrap-anywhere"
      >
        {lockedFor > 0 && (
          <p>{t(lockedTexts(isGood, lockedFor > halfDay), { time: timeOfDay(lockedUntil) })}</p>
        )}
        {failure?.why === 'unchecked' && <p>{failure.message}</p>}
        <p>{isGood ? t('sentTo', { email, time }) : t('codeExpired', { email, time })}</p>
        {/* Screen readers must not announce the countdown every second. */}
        <p role="timer" aria-live="off" className="tabular-nums">
          {nextIn > 0 ? t('nextCodeIn', { seconds: String(nextIn) }) : t('nextCodeNow')}
        </p>
      </Banner>
      {isGood && isRetry && (
        <Field label={t('enterTheCodeAgain')} className="mb-6 border-b border-line pb-6">
          <CodeInput
            value={entered}
            onChange={setEntered}
            onComplete={onConfirm}
            autoFocus
            aria-describedby={titleId}
            className={busy ? 'opacity-50' : ''}
          />
        </Field>
      )}
    </>
  );
}
