import { csv, csvName, type Column } from '#platform/csv.ts';
import { inLook, type Look } from '#wire/look.ts';
import { dateIn } from '#wire/wall-time.ts';
import { t } from '#features/events/answers/csv-messages.ts';
import type { ListedAnswer } from '#features/events/answers/queries.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import type { Event } from '#features/events/contract.ts';
import type { ListFile } from '#features/members/contract.ts';
import { fullName } from '#features/members/rules.ts';

const answerNames = (): Record<Answer, string> => ({
  going: t('going'),
  waiting: t('waiting'),
  maybe: t('maybe'),
  no: t('no'),
});

const columns = (): Column<ListedAnswer>[] => [
  { heading: t('name'), text: fullName },
  { heading: t('sections'), text: ({ sections }) => sections.join(', ') },
  { heading: t('answer'), text: ({ answer }) => (answer ? answerNames()[answer] : t('silent')) },
  { heading: t('guests'), text: ({ guests }) => String(guests) },
  { heading: t('reply'), text: ({ reply }) => reply },
  { heading: t('note'), text: ({ note }) => note },
  { heading: t('came'), text: ({ came }) => (came === null ? '' : t(came ? 'didCome' : 'didNotCome')) },
];

/** The answers to an event as a file for this reader. */
export const answerFile = async (
  reader: Look,
  { name, start_time, time_zone }: Pick<Event, 'name' | 'start_time' | 'time_zone'>,
  answers: readonly ListedAnswer[],
): Promise<ListFile> => ({
  file_name: inLook(reader, () => csvName(dateIn(time_zone, start_time), t('fileName', { event: name }))),
  content: await csv(reader, answers, columns),
});
