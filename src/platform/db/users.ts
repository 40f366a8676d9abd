import { sql } from '#platform/db/client.ts';
import type { SearchedTable } from '#platform/db/search-text.ts';

export const everybody = Symbol('everybody');

/** One user by id, or all users. */
export type Users = string | typeof everybody;

/** The columns that hold a text, or a time as text, and that statements update one by one. */
export type UserTextColumn =
  | 'disabled_at'
  | 'email'
  | 'user_name'
  | 'first_name'
  | 'last_name'
  | 'phone'
  | 'profile_picture_url'
  | 'calendar_secret'
  | 'language'
  | 'clock'
  | 'time_zone'
  | 'device_zone';

/** The SQL condition that this column contains one of these users. */
export const isAmong = (column: string, users: Users) =>
  users === everybody ? sql`true` : sql`${sql.ref(column)} = ${users}`;

/** Only admins may find members by user name. */
export const searchedUsers: SearchedTable<'first_name' | 'last_name' | 'user_name'> = {
  name: 'users',
  lines: [['first_name', 'last_name'], ['user_name']],
};
