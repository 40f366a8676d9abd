import type { Context } from '#platform/context.ts';
import { ApiError } from '#wire/errors.ts';
import type { DemoClub } from '#app/demo/club.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Creates a request context for a person at the current time of the demo, and their account if it does not exist yet. */
export type As = (key: string) => Promise<Context<'user'>>;

export interface Step {
  at: number;
  act(as: As): Promise<unknown>;
}

/** A demo club with the state that its steps share. */
export interface ClubState extends DemoClub {
  id: string;
  founded: number;
  now: number;
  joined: Map<string, number>;
  /** The ids of the sections, by name. */
  sectionIds: Map<string, string>;
  random(): number;
}

/** The response of a handler, which must have succeeded. */
export function unwrap<T>(result: T | ApiError): T {
  if (result instanceof ApiError) throw result;
  return result;
}
