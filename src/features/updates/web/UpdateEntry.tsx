import { fullName } from '#features/members/rules.ts';
import type { Update } from '#features/updates/contract.ts';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { dayMonthYear, time12h } from '#ui/format.ts';
import { LinkedText } from '#ui/LinkedText.tsx';

/** The id of the newest update, and the URL fragment after publishing. */
export const newUpdateAnchor = 'new-update';

const authorOf = ({ creator_first_name, creator_last_name }: Update): string =>
  creator_first_name
    ? `Posted by ${fullName({ first_name: creator_first_name, last_name: creator_last_name ?? '' })}`
    : 'System';

export type UpdateEntryProps = {
  update: Update;
  newest?: boolean;
  /** Shown on another page: with its date, and truncated. */
  summaries?: boolean;
  /** Highlighted for the user who has just published it. */
  marked?: boolean;
};

/** One update: time, author and content. */
export function UpdateEntry({ update, newest = false, summaries = false, marked = false }: UpdateEntryProps) {
  const time = time12h(update.created_at);
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
        {/* The overflow before the left edge is clipped, which hides a separator dot at the start of a line. */}
        <p className="overflow-clip text-sm text-muted">
          <span className="-ml-4 flex flex-wrap *:pl-4">
            <time dateTime={update.created_at} className="font-semibold text-ink">
              {summaries ? `${dayMonthYear(update.created_at)}, ${time}` : time}
            </time>
            <span className="relative wrap-anywhere">
              <span aria-hidden className="absolute left-1.5">
                ·
              </span>
              {authorOf(update)}
            </span>
          </span>
        </p>
        <p
          className={cn(
            'mt-2 max-w-prose whitespace-pre-line wrap-anywhere',
            summaries && 'line-clamp-2 sm:line-clamp-6',
          )}
        >
          <LinkedText text={update.content} />
        </p>
      </article>
    </Card>
  );
}
