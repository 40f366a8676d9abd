/** Shown instead of an empty first name. */
export const newUser = 'New User';

/** First and last name as one line, for lists and greetings. */
export const fullName = (person: { first_name: string; last_name: string }): string =>
  person.first_name === '' ? newUser : `${person.first_name} ${person.last_name}`.trim();
