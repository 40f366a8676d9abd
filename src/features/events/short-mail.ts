import { t } from '#features/events/notice-messages.ts';
import type { Shortage } from '#features/events/rules.ts';

/** '3 people, 1 Tenor'. */
export const missingIn = ({ people, sections }: Shortage = { people: 0, sections: [] }): string =>
  [
    ...(people > 0 ? [t('shortPeople', { n: people })] : []),
    ...sections.map(({ name, missing }) => t('shortOf', { n: missing, section: name })),
  ].join(', ');
