import { t } from '#features/users/name-messages.ts';

/** First and last name as one line, for lists and greetings. */
export const fullName = (person: { first_name: string; last_name: string }): string =>
  person.first_name === '' ? t('newUser') : `${person.first_name} ${person.last_name}`.trim();
