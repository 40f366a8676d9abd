import { z } from 'zod';
import { formatted } from '#wire/bounded.ts';

/** Days outside of the years 2000 to 2200 are bad input. */
export const firstDay = '2000-01-01';
export const lastDay = '2200-12-31';

export const isDayInRange = (day: string): boolean => firstDay <= day && day <= lastDay;

/** A calendar day: '2026-11-24'. */
export const Day = formatted(10, z.iso.date({ abort: true })).refine(
  isDayInRange,
  'must be in the years 2000 to 2200',
);

/** Whether these days, of which both ends count, include a day. */
export const includesDay = (
  { first_on, last_on }: { first_on: string; last_on: string },
  day: string,
): boolean => first_on <= day && day <= last_on;
