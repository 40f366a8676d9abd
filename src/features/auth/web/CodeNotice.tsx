import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { time12h } from '#ui/format.ts';
import { type CodeFailure, isUsedUp, type LoginCode } from './useLoginCode.ts';
import { useSecondsLeft } from './useSecondsLeft.ts';

const halfDay = 12 * 60 * 60;

const titles: Record<CodeFailure['why'], string> = {
  wrong: "That code isn't right",
  repeated: "That code isn't right",
  locked: 'You can try again now',
  unchecked: "We couldn't check your code",
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
      title={lockedFor > 0 ? 'Too many wrong codes' : failure && titles[failure.why]}
      action={
        isGood &&
        lockedFor === 0 && (
          <Button variant="secondary" className="w-full" onClick={onReopen}>
            Enter the code again
          </Button>
        )
      }
      className="mb-6 wrap-anywhere"
    >
      {lockedFor > 0 && (
        <p>
          Try again {lockedFor > halfDay && 'tomorrow '}at {time12h(lockedUntil)}, or use the link in{' '}
          {isGood ? 'the email' : 'a new email'}.
        </p>
      )}
      {failure?.why === 'unchecked' && <p>{failure.message}</p>}
      <p>
        {isGood ? `Sent to ${email} at ${time}.` : `The code sent to ${email} at ${time} no longer works.`}
      </p>
      {/* Not announced every second. */}
      <p role="timer" aria-live="off" className="tabular-nums">
        {nextIn > 0 ? `You can get another code in ${nextIn}\u00A0s.` : 'You can get another code now.'}
      </p>
    </Banner>
  );
}
