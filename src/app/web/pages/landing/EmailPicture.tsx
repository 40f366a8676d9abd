import { Check } from 'lucide-react';
import { cn } from '#ui/class-names.ts';
import { initials } from '#ui/identity.ts';
import { t } from '#app/web/pages/landing/messages.ts';

/** The hues of the club in the picture and of its members. */
const clubHue = 11;
const people = [
  { hue: 2, letters: 'AB', className: 'top-[6%] left-[8%] max-sm:hidden' },
  { hue: 7, letters: 'JK', className: 'top-[9%] right-[6%] max-sm:hidden' },
  { hue: 13, letters: 'MO', className: 'top-[38%] -left-2' },
  { hue: 5, letters: 'TS', className: 'top-[30%] -right-2 sm:right-0' },
  { hue: 0, letters: 'PN', className: 'bottom-[12%] left-[6%] max-sm:hidden' },
];

/** An email about an event on a phone, answered with one tap, among members of the club. */
export function EmailPicture({ className }: { className?: string }) {
  return (
    <div role="img" aria-label={t('emailPicture')} data-hue={clubHue} className={cn('relative', className)}>
      <div className="absolute inset-x-[6%] top-1/2 aspect-square -translate-y-1/2 rounded-full bg-accent-soft" />
      {people.map(({ hue, letters, className: place }) => (
        <Face
          key={hue}
          hue={hue}
          letters={letters}
          className={cn('absolute size-13 text-base ring-5 ring-bg', place)}
        />
      ))}
      <div className="relative mx-auto w-[min(16rem,75%)] rounded-[2.25rem] border-[0.5rem] border-ink bg-ink shadow-lg dark:border-line dark:bg-line">
        <div className="flex min-h-105 flex-col overflow-clip rounded-[1.75rem] bg-surface">
          <p className="flex justify-between px-5 pt-2 pb-1.5 text-xs font-semibold tabular-nums">
            9:41
            <span className="mt-1 h-2.5 w-5 rounded-xs border border-ink p-px">
              <span className="block h-full w-3/4 bg-ink" />
            </span>
          </p>
          <p className="flex items-center gap-2 bg-club px-4 py-2.5 text-sm font-semibold text-club-ink">
            <span
              data-initials={initials(t('emailClub'))}
              className="grid size-7 place-items-center rounded-[22%] bg-avatar text-[0.6875rem] text-avatar-ink before:content-[attr(data-initials)]"
            />
            {t('emailClub')}
          </p>
          <div className="flex grow flex-col px-4 pt-4 pb-5">
            <div className="flex flex-wrap gap-3">
              <p className="grid h-fit w-12 shrink-0 justify-items-center rounded-lg bg-club-soft py-1.5 font-display text-xs leading-tight font-semibold text-club">
                {t('weekday')} <span className="text-xl leading-[1.5rem] font-bold">21</span> {t('month')}
              </p>
              <p className="min-w-0 flex-1 basis-[6em] text-sm text-muted">
                <span className="block font-display text-lg leading-[1.5rem] font-bold text-ink">
                  {t('morningRow')}
                </span>
                {t('morningRowTimeAndPlace')}
              </p>
            </div>
            <p className="mt-5 font-display font-bold">{t('areYouComing')}</p>
            <p className="mt-2.5 flex min-h-11 items-center justify-center gap-2 rounded-md bg-accent font-semibold text-accent-ink">
              <Check aria-hidden className="size-5" />
              {t('going')}
            </p>
            <p className="mt-2 grid min-h-11 place-items-center rounded-md border border-control font-semibold">
              {t('maybe')}
            </p>
            <p className="mt-2 grid min-h-11 place-items-center rounded-md border border-control font-semibold">
              {t('cantGo')}
            </p>
          </div>
        </div>
      </div>
      {/* Covers only the lower edge of the phone, not the last button. */}
      <p className="absolute top-full right-[2%] -mt-6 flex items-center gap-2 rounded-xl border border-line bg-raised px-3 py-2.5 text-sm font-semibold shadow-lg">
        <span className="flex -space-x-1.5">
          {people.slice(0, 3).map(({ hue, letters }) => (
            <Face
              key={hue}
              hue={hue}
              letters={letters}
              className="size-7 text-[0.6875rem] ring-2 ring-raised"
            />
          ))}
        </span>
        {t('morningRowReplies')}
      </p>
    </div>
  );
}

type FaceProps = { hue: number; letters: string; className: string };

const Face = ({ hue, letters, className }: FaceProps) => (
  <span
    data-hue={hue}
    data-initials={letters}
    className={cn(
      'grid place-items-center rounded-full bg-avatar font-semibold text-avatar-ink before:content-[attr(data-initials)]',
      className,
    )}
  />
);
