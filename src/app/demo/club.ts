/** Single events every week or every second week at the same local time, as clubs plan them without a series. */
export interface DemoSeries {
  name: string;
  description: string;
  details?: string;
  location_name: string;
  /** 0 is Sunday. */
  weekday: number;
  everyWeeks: 1 | 2;
  time: string;
  minutes: number;
  /** The probability that a member of only this club attends. */
  attendanceRate: number;
  /** The hosts besides the admin who plans the event. */
  otherHosts?: string[];
  /** A message of the host to everybody who may come, about the events of the coming week. */
  message?: string;
  /** A question of a member about the events of the coming week, which the host answers for everyone. */
  asked?: { by: string; question: string; answer: string };
  /** Weeks, counted from now, in which the event is cancelled. */
  cancelledIn?: number[];
}

/** A single event, `inDays` days from now. */
export interface Occasion extends Omit<DemoSeries, 'weekday' | 'everyWeeks' | 'cancelledIn'> {
  inDays: number;
  time_zone?: string;
  /** Minutes from the start until sign-up closes; negative if sign-up closes before the start. */
  entryUntil?: number;
  isCancelled?: boolean;
  capacity?: number;
  /** Every fourth member does not reply to the question. */
  question?: string;
  choices?: string[];
  /** How many members of some sections of the club are needed, by name. The event is for these sections. */
  needed?: Record<string, number>;
  /** A member who said 'going' and drops out on the last day, with a note to the hosts. */
  droppedOut?: { by: string; note: string };
  /** How many minutes later than planned the event starts. Its attendees are asked to confirm. */
  movedBy?: number;
}

/** A weekly series with standing answers. */
export interface PlannedSeries extends Pick<
  DemoSeries,
  'name' | 'description' | 'location_name' | 'minutes'
> {
  /** ISO number: 1 is Monday. */
  weekday: number;
  local_time: string;
  capacity: number | null;
  /** The members whose standing answer is 'going'. */
  standing: string[];
}

/** An event of the founder with a poll about its time. */
export interface DemoPoll extends Pick<DemoSeries, 'name' | 'description' | 'location_name' | 'minutes'> {
  /** The proposed days, counted from now. Each time begins at six in the evening. */
  inDays: number[];
  voters: string[];
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
  /** When the founder let the organisers plan; undefined if nobody has decided about it. */
  organisersPlanDaysAgo?: number;
  members: string[];
  /** A member who has muted the club. */
  mutedBy?: string;
  /** A member who gets the news once a week. */
  weeklyFor?: string;
  /** The members of each section. */
  sections?: Record<string, string[]>;
  /** Members who say that they are away: the days are counted from today. */
  absences?: { member: string; from: number; to: number; daysAgo: number }[];
  /** An offer of the founder to hand over the club to a member. */
  offer?: { to: string; daysAgo: number };
  /** Age of the invite link in days; undefined if the club has none. */
  linkMadeDaysAgo?: number;
  series: DemoSeries[];
  occasions: Occasion[];
  planned?: PlannedSeries;
  poll?: DemoPoll;
  updates: { by: string; daysAgo: number; content: string; important?: boolean }[];
}
