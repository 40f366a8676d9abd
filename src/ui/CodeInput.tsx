import { OTPInput, REGEXP_ONLY_DIGITS_AND_CHARS, type RenderProps } from 'input-otp';
import { cn } from './class-names.ts';
import { useField } from './Field.tsx';

export const CODE_LENGTH = 6;

export type CodeInputProps = {
  value: string;
  onChange: (value: string) => void;
  /** Called once all slots are filled. */
  onComplete?: (value: string) => void;
  disabled?: boolean;
  autoFocus?: boolean;
  'aria-label'?: string;
  'aria-describedby'?: string;
  className?: string;
};

/** Six slots for an alphanumeric code. Shown in upper case; the value keeps the case that was typed. */
export function CodeInput({ className, ...props }: CodeInputProps) {
  const { required: _, ...wired } = useField<CodeInputProps & { required?: boolean }>(props);
  return (
    <div className={cn('relative', className)}>
      {/* The library injects a style element unless one with this id exists. theme.css contains its rules. */}
      <span id="input-otp-style" hidden />
      <OTPInput
        {...wired}
        maxLength={CODE_LENGTH}
        pattern={REGEXP_ONLY_DIGITS_AND_CHARS}
        pasteTransformer={(text) => text.replace(/[^a-z0-9]/gi, '')}
        inputMode="text"
        autoComplete="one-time-code"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        noScriptCSSFallback={null}
        pushPasswordManagerStrategy="none"
        containerClassName="flex items-center justify-center gap-2 sm:gap-2.5 has-disabled:opacity-50"
        render={({ slots }) => (
          <>
            <Slots slots={slots} places={[0, 1, 2]} />
            <span aria-hidden className="h-0.5 w-3 shrink-0 rounded-full bg-control" />
            <Slots slots={slots} places={[3, 4, 5]} />
          </>
        )}
      />
    </div>
  );
}

function Slots({ slots, places }: { slots: RenderProps['slots']; places: number[] }) {
  return (
    <div data-slots className="flex gap-1 sm:gap-1.5">
      {places.map((place) => (
        <div
          key={place}
          data-slot
          className={cn(
            'grid h-13 w-[clamp(32px,10.5vw,44px)] place-items-center rounded-md border bg-surface text-xl font-semibold uppercase tabular-nums',
            slots[place]?.isActive
              ? 'border-accent outline-2 -outline-offset-1 outline-accent'
              : 'border-control',
          )}
        >
          <span>{slots[place]?.char}</span>
          {slots[place]?.hasFakeCaret && <span aria-hidden className="h-6 w-0.5 animate-pulse bg-ink" />}
        </div>
      ))}
    </div>
  );
}
