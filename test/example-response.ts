import { z } from 'zod';

/** The parts of a JSON schema that the contracts use. */
interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  format?: string;
}

/** Text that somebody typed: in Greek, so that tests can tell it from texts of the app. */
const typed = 'Ωμέγα';

const day = 86_400_000;

/**
 * A response that the schema of an endpoint allows. Examples with different numbers differ in what is optional, in the
 * choices that they contain, and in whether events are over.
 */
export const exampleOf = (output: z.ZodType, nth: number): unknown =>
  example(z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }) as Schema, '', nth);

function example(schema: Schema, name: string, nth: number): unknown {
  if (name in byName) return byName[name]?.(nth, schema);
  const { anyOf, allOf } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[nth % schema.enum.length];
  if (anyOf) {
    const values = anyOf.filter(({ type }) => type !== 'null');
    // Every fourth example has no value where none is required.
    const isMissing = values.length < anyOf.length && nth % 4 === 3;
    return isMissing ? null : example(values[nth % values.length] as Schema, name, nth);
  }
  if (allOf) return Object.assign({}, ...allOf.map((part) => example(part, name, nth))) as unknown;
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([key, value]) => [key, example(value, key, nth)]),
    );
  // One element for each choice of the longest list of choices.
  if (schema.type === 'array')
    return Array.from({ length: 5 }, (_, at) => example(schema.items ?? {}, name, nth + at));
  if (schema.type === 'boolean') return nth % 2 === 0;
  if (schema.type === 'number' || schema.type === 'integer')
    return Math.max((nth + 3) % 4, schema.minimum ?? 0);
  return schema.format === 'date-time' ? ago(nth) : typed;
}

/** In the future, or in every third example in the past. */
const eventStart = (nth: number) => Date.now() + (nth % 3 === 2 ? -40 : 40) * day + nth * day;
const at = (time: number) => new Date(time).toISOString();
const onDay = (time: number) => at(time).slice(0, 10);
const ago = (nth: number) => at(Date.now() - (nth + 1) * 3_600_000);

const byName: Record<string, (nth: number, schema: Schema) => unknown> = {
  id: (nth) => `id-${nth}`,
  user_id: (nth) => `id-${nth}`,
  attendee_id: (nth) => `id-${nth}`,
  slug: (nth) => `slug-${nth}`,
  club_slug: () => 'slug-0',
  club_id: () => 'id-0',
  owner_club_id: () => 'id-0',
  email: (nth) => `person-${nth}@example.org`,
  pending_email: (nth) => (nth % 2 ? `next-${nth}@example.org` : null),
  old_email: () => 'old@example.org',
  new_email: () => 'new@example.org',
  website: () => 'example.org',
  time_zone: (nth) => (nth % 2 ? 'Asia/Tokyo' : 'UTC'),
  device_zone: () => null,
  language: () => 'el',
  clock: () => '24',
  start_time: (nth) => at(eventStart(nth)),
  end_time: (nth) => at(eventStart(nth) + 2 * 3_600_000),
  entry_until_time: (nth) => at(eventStart(nth) - 3_600_000),
  next_event_day: (nth) => onDay(eventStart(nth)),
  first_on: (nth) => onDay(eventStart(nth)),
  last_on: (nth) => onDay(eventStart(nth) + day),
  starts_on: (nth) => onDay(eventStart(nth)),
  ends_on: () => null,
  until: (nth) => onDay(eventStart(nth)),
  local_time: () => '19:00',
  expires_at: () => at(Date.now() + 3 * day),
  deleted_at: (nth) => (nth % 5 === 4 ? ago(nth) : null),
  ended_at: (nth) => (nth % 4 === 3 ? ago(nth) : null),
  undone_at: (nth) => (nth % 2 ? ago(nth) : null),
  seen_at: (nth) => (nth % 2 ? ago(nth) : null),
  actioned_at: (nth) => (nth % 2 ? ago(nth) : null),
  club_role: (nth) => [200, 200, 0, 100][nth % 4],
  my_club_role: (nth) => [200, 200, 0, 100][nth % 4],
  browser: (nth) => (nth % 2 ? 'Ϝ' : null),
  system: (nth) => (nth % 3 ? 'Λ' : null),
  profile_picture_url: () => null,
  host_profile_picture_url: () => null,
  profile_banner_url: () => null,
  // Where the next page of a list starts.
  more_members: () => null,
  more_attendees: () => null,
  more_waiting: () => null,
  more_maybe: () => null,
  more_voters: () => null,
  more: () => null,
  // Otherwise the club page saves at once that all first steps are done.
  calendar_added: () => false,
  upcoming: () => null,
  in_progress: () => null,
  previous: () => null,
};
