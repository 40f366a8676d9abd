import type { Absence } from '#features/events/absences/contract.ts';

export type Days = Pick<Absence, 'first_on' | 'last_on'>;

const day = 24 * 60 * 60_000;
const maxDays = 367;

/** The same day of another year. 29 February of a year without that day is only good for comparisons. */
const yearsAfter = (on: string, years: number): string => `${Number(on.slice(0, 4)) + years}${on.slice(4)}`;

/** The first and the last day on which an absence may be. */
export const allowedDays = (today: string): Days => ({
  first_on: yearsAfter(today, -1),
  last_on: yearsAfter(today, 2),
});

export type DayProblem = 'missing' | 'out_of_range' | 'before_first' | 'too_long';

/** Why the days of an absence cannot be saved. Empty days are missing. */
export function dayProblems(
  { first_on, last_on }: Days,
  today: string,
): Partial<Record<keyof Days, DayProblem>> {
  const allowed = allowedDays(today);
  const problemOf = (on: string): DayProblem | undefined =>
    on === '' ? 'missing' : on < allowed.first_on || on > allowed.last_on ? 'out_of_range' : undefined;
  const ofFirst = problemOf(first_on);
  if (ofFirst) return { first_on: ofFirst, ...(last_on === '' && { last_on: 'missing' }) };
  if (last_on !== '' && last_on < first_on) return { last_on: 'before_first' };
  const ofLast = problemOf(last_on);
  if (ofLast) return { last_on: ofLast };
  return (Date.parse(last_on) - Date.parse(first_on)) / day >= maxDays ? { last_on: 'too_long' } : {};
}
