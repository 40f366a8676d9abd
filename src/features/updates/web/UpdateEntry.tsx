import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { fullName } from '#features/members/rules.ts';
import type { Update } from '#features/updates/contract.ts';
import { summaryOf } from '#features/updates/rules.ts';
import { Badge } from '#ui/Badge.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { dayKey, dayMonthYearAndTime, timeOfDay } from '#wire/format.ts';
import { LinkedText } from '#ui/LinkedText.tsx';
import { PictureGrid } from './PictureGrid.tsx';
import { Rich } from '#ui/Rich.tsx';
import { t } from '#features/updates/messages.ts';
import type { Elements } from '#ui/elements.ts';

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
  /** The page of the update. With it, the entry is a summary for another page: with its date, and one link. */
  to?: string;
  /** Shows the date besides the time of day. */
  dated?: boolean;
  /** To whom a message about an event is, for those who may change it; undefined for other readers. */
  about?: string | undefined;
  /** Controls for users who may change the update. */
  menu?: Elements;
  /** Below the content: who has read it. */
  reads?: ReactNode;
  /** Highlighted for the user who has just published it. */
  marked?: boolean;
};

/** One update, or a message about an event: time, author, content and pictures. */
export function UpdateEntry({
  update,
  newest = false,
  to,
  dated = to !== undefined,
  about,
  menu,
  reads,
  marked = false,
}: UpdateEntryProps) {
  // `pictures` is missing in responses of the previous release during an upgrade.
  const { content, edited_at, important, pictures = [] } = update;
  const author = authorOf(update);
  const edition = (text: string) => <time dateTime={edited_at ?? undefined}>{text}</time>;
  return (
    <Card
      asChild
      className={cn(
        'scroll-mt-20',
        to && 'relative transition-colors hover:border-control max-sm:px-3! max-sm:py-2!',
        marked && 'border-accent! ring-2 ring-accent-soft',
      )}
    >
      <article id={newest || to ? newUpdateAnchor : undefined}>
        <div className="flex items-start justify-between gap-3">
          {/* The overflow before the left edge is clipped, which hides a separator dot at the start of a line. */}
          <p className={cn('min-w-0 overflow-clip text-muted', to ? 'text-xs sm:text-sm' : 'text-sm')}>
            <span className="-ml-4 flex flex-wrap *:pl-4">
              {important && (
                <span>
                  <Badge tone="warn">{t('important')}</Badge>
                </span>
              )}
              <Time update={update} to={to} dated={dated} />
              <Fact>{author}</Fact>
              {about && <Fact>{about}</Fact>}
              {edited_at && (
                <Fact>
                  <Rich parts={t.parts('edited', { time: edition }, { time: editTime(update, edited_at) })} />
                </Fact>
              )}
            </span>
          </p>
          {menu}
        </div>
        <div className={cn(to && 'mt-1 flex items-start justify-between gap-4')}>
          <p
            className={cn(
              'max-w-prose min-w-0 whitespace-pre-line wrap-anywhere',
              // Links and pictures are above the link of the card.
              to ? 'line-clamp-2 max-sm:text-sm [&_a]:relative' : 'mt-2',
            )}
          >
            <LinkedText text={to ? summaryOf(content) : content} />
          </p>
          {pictures.length > 0 && (
            <PictureGrid pictures={pictures} author={author} summary={to !== undefined} />
          )}
        </div>
        {reads && <div className="relative">{reads}</div>}
      </article>
    </Card>
  );
}

/** The time of the update. In a summary, it is the link of the whole card. */
function Time({ update: { created_at }, to, dated }: Pick<UpdateEntryProps, 'update' | 'to' | 'dated'>) {
  const text = dated ? dayMonthYearAndTime(created_at) : timeOfDay(created_at);
  const time = (
    <time dateTime={created_at} className="font-semibold text-ink">
      {text}
    </time>
  );
  if (!to) return time;
  return (
    <Link
      to={to}
      aria-label={t('updateOf', { time: text })}
      className="outline-none after:absolute after:inset-0 after:rounded-xl focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
    >
      {time}
    </Link>
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
    <span>{children}</span>
  </span>
);
