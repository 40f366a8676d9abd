import { CircleAlert, CircleCheck } from 'lucide-react';
import type { Event } from '#features/events/contract.ts';
import { isEnough, shortageOf, type Shortage } from '#features/events/rules.ts';
import { cn } from '#ui/class-names.ts';
import { listOf } from '#wire/messages.ts';
import { t } from '#features/events/section-messages.ts';

type ForWhomProps = { event: Event };

/** The sections that an event is for. Other members read that they can come too. */
export const ForWhom = ({ event: { section_names, is_for_me, my_answer } }: ForWhomProps) =>
  section_names.length > 0 && (
    <p className="mt-1 font-medium wrap-anywhere">
      {is_for_me || my_answer
        ? t('forWhom', { sections: section_names.join(', ') })
        : t('alsoForYou', { sections: listOf(section_names) })}
    </p>
  );

/** '3 people, 1 Tenor'. */
const missingIn = ({ people, sections }: Shortage): string =>
  [
    ...(people > 0 ? [t('shortPeople', { n: people })] : []),
    ...sections.map(({ name, missing }) => t('shortOf', { n: missing, section: name })),
  ].join(', ');

/** Whether enough people are going, if the event needs some number of them. */
export function Enough({ event }: ForWhomProps) {
  const shortage = shortageOf(event);
  if (!shortage) return null;
  const enough = isEnough(shortage);
  const Icon = enough ? CircleCheck : CircleAlert;
  return (
    <p
      className={cn(
        'mt-1 flex items-start gap-1.5 font-semibold wrap-anywhere',
        enough ? 'text-ok' : 'text-warn',
      )}
    >
      <Icon aria-hidden className="mt-1 size-4 shrink-0" />
      <span>{enough ? t('goesAhead') : t('short', { missing: missingIn(shortage) })}</span>
    </p>
  );
}
