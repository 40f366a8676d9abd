import { t } from '#features/users/name-messages.ts';

interface Person {
  first_name: string;
  last_name: string;
}

/** First and last name as one line; empty for a person who has not entered a name yet. */
export const ownName = ({ first_name, last_name }: Person): string =>
  first_name === '' ? '' : `${first_name} ${last_name}`.trim();

/** The name for lists and greetings. */
export const fullName = (person: Person): string => ownName(person) || t('newUser');
