import type { ReactNode } from 'react';
import { fullName } from '#features/members/rules.ts';
import type { Update } from '#features/updates/contract.ts';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { dayKey, dayMonthYearAndTime, timeOfDay } from '#wire/format.ts';
import { LinkedText } from '#ui/LinkedText.tsx';
import { PictureGrid } from './PictureGrid.tsx';
import { Rich } from '#ui/Rich.tsx';
import { t } from '#features/updates/messages.ts';

/** The id of the newest update, and the URL fragment after publishing. */
export const newUpdateAnchor = 'new-update';

const authorOf = ({ creator_first_name, creator_last_name }: Update): string =>
  creator_first_name
    ? t('postedBy', {
        name: fullName({ first_name: creator_first_name, last_name: creator_last_name ?? '' }),
      })
    : t('system');

export type UpdateEntryProps = {
  update: Update;
  newest?: boolean;
  /** Whether the entry is shown on a page other than the list of updates: with its date, and truncated. */
  summaries?: boolean;
  /** Controls for users who may change the update. */
  menu?: ReactNode;
  /** Highlighted for the user who has just published it. */
  marked?: boolean;
};

/** One update: time, author, content and pictures. */
export function UpdateEntry({
  update,
  newest = false,
  summaries = false,
  menu,
  marked = false,
}: UpdateEntryProps) {
  // `pictures` is missing in responses of the previous release during an upgrade.
  const { content, created_at, edited_at, pictures = [] } = update;
  const time = timeOfDay(created_at);
  const author = authorOf(update);
  const edition = (text: string) => <time dateTime={edited_at ?? undefined}>{text}</time>;
  return (
    <Card
      asChild
      className={cn(
        'scroll-mt-20',
        summaries && 'max-sm:p-4!',
        marked && 'border-accent! ring-2 ring-accent-soft',
      )}
    >
      <article id={newest || summaries ? newUpdateAnchor : undefined}>
        <div className="flex items-start justify-between gap-3">
          {/* The overflow before the left edge is clipped, which hides a separator dot at the start of a line. */}
          <p className={cn('min-w-0 overflow-clip text-muted', summaries ? 'text-xs sm:text-sm' : 'text-sm')}>
            <span className="-ml-4 flex flex-wrap *:pl-4">
              <time dateTime={created_at} className="font-semibold text-ink">
                {summaries ? dayMonthYearAndTime(created_at) : time}
              </time>
              <Fact>{author}</Fact>
              {edited_at && (
                <Fact>
                  <Rich parts={t.parts('edited', { time: edition }, { time: editTime(update, edited_at) })} />
                </Fact>
              )}
            </span>
          </p>
          {menu}
        </div>
        <div className={cn(summaries && 'mt-2 flex items-start justify-between gap-4')}>
          <p
            className={cn(
              'max-w-prose min-w-0 whitespace-pre-line wrap-anywhere',
              summaries ? 'line-clamp-2 sm:line-clamp-6' : 'mt-2',
            )}
          >
            <LinkedText text={content} />
          </p>
          {pictures.length > 0 && <PictureGrid pictures={pictures} author={author} summary={summaries} />}
        </div>
      </article>
    </Card>
  );
}

/** The time of the edit, with its date if the update was not published on the same day. */
const editTime = ({ created_at }: Update, edited_at: string): string =>
  dayKey(edited_at) === dayKey(created_at) ? timeOfDay(edited_at) : dayMonthYearAndTime(edited_at);

const Fact = ({ children }: { children: ReactNode }) => (
  <span className="relative wrap-anywhere">
    <span aria-hidden className="absolute left-1.5">
      ·
    </span>
    {children}
  </span>
);
