import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { time12h } from '#ui/format.ts';
import { type CodeFailure, isUsedUp, type LoginCode } from './useLoginCode.ts';
import { useSecondsLeft } from './useSecondsLeft.ts';
import { t } from '#features/auth/messages.ts';

const halfDay = 12 * 60 * 60;

const titles: Record<CodeFailure['why'], string> = {
  wrong: t('wrongCode'),
  repeated: t('wrongCode'),
  locked: t('youCanTryAgain'),
  unchecked: t('codeUnchecked'),
};

/** On the login card after the dialog was closed: what happened to the code, and what can be done. */
export function CodeNotice({ code, onReopen }: { code: LoginCode; onReopen: () => void }) {
  const { email, sentAt, askedAt, good_for, next_in, failure } = code;
  const isGood = useSecondsLeft(askedAt, good_for) > 0 && !isUsedUp(code);
  const nextIn = useSecondsLeft(askedAt, next_in);
  const lockedUntil = failure?.why === 'locked' ? failure.until : askedAt;
  const lockedFor = useSecondsLeft(askedAt, (lockedUntil - askedAt) / 1000);
  const time = time12h(sentAt);
  return (
    <Banner
      tone={failure ? 'warn' : 'neutral'}
      role={failure ? 'alert' : 'status'}
      title={lockedFor > 0 ? t('tooManyWrongCodes') : failure && titles[failure.why]}
      action={
        isGood &&
        lockedFor === 0 && (
          <Button variant="secondary" className="w-full" onClick={onReopen}>
            {t('enterTheCodeAgain')}
          </Button>
        )
      }
      className="mb-6 wrap-anywhere"
    >
      {lockedFor > 0 && (
        <p>
          {t(lockedFor > halfDay ? 'lockedUntilTomorrow' : 'lockedUntil', {
            time: time12h(lockedUntil),
            email: isGood ? t('theEmail') : t('aNewEmail'),
          })}
        </p>
      )}
      {failure?.why === 'unchecked' && <p>{failure.message}</p>}
      <p>{isGood ? t('sentTo', { email, time }) : t('codeExpired', { email, time })}</p>
      {/* Not announced every second. */}
      <p role="timer" aria-live="off" className="tabular-nums">
        {nextIn > 0 ? t('nextCodeIn', { seconds: String(nextIn) }) : t('nextCodeNow')}
      </p>
    </Banner>
  );
}
