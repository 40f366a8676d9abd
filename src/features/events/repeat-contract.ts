import { z } from 'zod';

/** Weekly on some weekdays, monthly on a day such as the 24th, or monthly on a weekday such as the last Tuesday. */
export const Frequency = z.enum(['weekly', 'monthly_day', 'monthly_weekday']);
export type Frequency = z.infer<typeof Frequency>;

/** The days of a series. */
export const Recurrence = z.object({
  freq: Frequency,
  /** The interval in weeks or months. */
  every: z.int().min(1).max(12),
  /** ISO numbers: 1 is Monday. */
  weekdays: z.array(z.int().min(1).max(7)).max(7),
  /** In a month without that day, the date is on the last day. */
  month_day: z.int().min(1).max(31).nullable(),
  /** Which of these weekdays in the month: the first to fourth, or the last one (-1). */
  nth: z
    .int()
    .min(-1)
    .max(4)
    .refine((nth) => nth !== 0, 'must not be 0')
    .nullable(),
});
export type Recurrence = z.infer<typeof Recurrence>;
