/** An event that repeats every week or every second week at the same local time. */
export interface Series {
  name: string;
  description: string;
  details?: string;
  location_name: string;
  /** 0 is Sunday. */
  weekday: number;
  everyWeeks: 1 | 2;
  time: string;
  minutes: number;
  /** Probability that a member of this club only attends. */
  attendanceRate: number;
  /** Weeks, counted from now, in which it is cancelled. */
  cancelledIn?: number[];
}

/** A single event, `inDays` days from now. */
export interface Occasion extends Omit<Series, 'weekday' | 'everyWeeks' | 'cancelledIn'> {
  inDays: number;
  time_zone?: string;
  /** Minutes after the start at which signing up closes; negative for before the start. */
  entryUntil?: number;
  isCancelled?: boolean;
}

export interface DemoClub {
  club_name: string;
  club_description: string;
  location_name: string;
  website?: string;
  time_zone: string;
  foundedDaysAgo: number;
  /** The first one is the founder. */
  admins: [string, ...string[]];
  organisers: string[];
  members: string[];
  /** Age of the invite link in days; undefined if the club has none. */
  linkMadeDaysAgo?: number;
  series: Series[];
  occasions: Occasion[];
  updates: { by: string; daysAgo: number; content: string }[];
}
