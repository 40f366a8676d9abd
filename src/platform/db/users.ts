import { sql } from '#platform/db/client.ts';
import type { SearchedTable } from '#platform/db/search-text.ts';

export const everybody = Symbol('everybody');

/** One user by id, or all users. */
export type Users = string | typeof everybody;

/** The SQL condition that this column contains one of these users. */
export const isAmong = (column: string, users: Users) =>
  users === everybody ? sql`true` : sql`${sql.ref(column)} = ${users}`;

/** Only admins may find members by user name. */
export const searchedUsers: SearchedTable<'first_name' | 'last_name' | 'user_name'> = {
  name: 'users',
  lines: [['first_name', 'last_name'], ['user_name']],
};
