/** What happens every week, or every second week, at the same local time. */
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
  /** How likely a keen member is to come. */
  draw: number;
  /** Weeks from now in which it is cancelled. */
  cancelledIn?: number[];
}

/** What happens once, so many days from now. */
export interface Occasion extends Omit<Series, 'weekday' | 'everyWeeks' | 'cancelledIn'> {
  inDays: number;
  time_zone?: string;
  /** Signing up ends this many minutes after the start, or before it. */
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
  /** The first one founded the club. */
  admins: [string, ...string[]];
  organisers: string[];
  members: string[];
  /** Days since the newest invite link was made; without one there is none. */
  linkMadeDaysAgo?: number;
  series: Series[];
  occasions: Occasion[];
  updates: { by: string; daysAgo: number; content: string }[];
}
