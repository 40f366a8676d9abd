import { sql } from '#platform/db/client.ts';

export const everybody = Symbol('everybody');

/** One user by id, or all users. */
export type Users = string | typeof everybody;

/** The SQL condition that this column contains one of these users. */
export const isAmong = (column: string, users: Users) =>
  users === everybody ? sql`true` : sql`${sql.ref(column)} = ${users}`;
