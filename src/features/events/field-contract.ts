import { z } from 'zod';
import { Id, singleLine, text } from '#wire/text.ts';

interface Field<Value> {
  /**
   * Emails show a fact in a line with its name, and a text in paragraphs. They do not show settings and the question to
   * members.
   */
  kind: 'title' | 'fact' | 'text' | 'question' | 'setting';
  input: z.ZodType<Value>;
  output: z.ZodType<Value>;
  /** The value if the request for a new event omits the field, or if a stored snapshot lacks it. */
  empty: Value;
  /** The value as text for people; '' hides the field. */
  toText(value: Value): string;
  /** The limit as a number, for the form, because the schemas are not available in browsers. */
  max?: number;
  /** The limit of each text in a list of texts. */
  maxLength?: number;
}

const textField = (of: typeof text, max: number) => ({
  input: of(max),
  output: z.string(),
  empty: '',
  toText: (value: string) => value,
  max,
});

/**
 * The fields of an event that planners write. Inputs, outputs, statements, the form, change emails and calendars
 * derive from this list.
 */
export const eventFields = {
  name: { kind: 'title', ...textField(singleLine, 120) },
  description: { kind: 'text', ...textField(text, 2000) },
  details: { kind: 'text', ...textField(text, 10_000) },
  location_name: { kind: 'fact', ...textField(singleLine, 200) },
  /** Seats for members and guests. Null: no limit. */
  capacity: {
    kind: 'setting',
    input: z.int().min(1).max(100_000).nullable(),
    output: z.int().nullable(),
    empty: null,
    toText: (value: number | null) => String(value ?? ''),
    max: 100_000,
  },
  /** Whether members may wait for a seat. */
  waitlist: {
    kind: 'setting',
    input: z.boolean(),
    output: z.boolean(),
    empty: true,
    toText: (value: boolean) => (value ? 'on' : 'off'),
  },
  /** The maximum number of guests that each member may bring. */
  guests_max: {
    kind: 'setting',
    input: z.int().min(0).max(9),
    output: z.int(),
    empty: 0,
    toText: (value: number) => (value > 0 ? String(value) : ''),
    max: 9,
  },
  /** What members are asked with their answer. */
  question: { kind: 'question', ...textField(singleLine, 120) },
  /** The replies that members choose from. Without choices they write a line. */
  choices: {
    kind: 'question',
    input: z
      .array(singleLine(40).min(1))
      .max(8)
      .refine((choices) => new Set(choices).size === choices.length, 'has a choice twice'),
    output: z.array(z.string()),
    empty: [],
    toText: (value: string[]) => value.join(', '),
    max: 8,
    maxLength: 40,
  },
  /** The sections that the event is for; none: everybody. Every member can see it and answer. */
  section_ids: {
    kind: 'setting',
    input: z.array(Id.toLowerCase()).max(30),
    output: z.array(Id),
    empty: [],
    toText: (value: string[]) => value.join(', '),
  },
  /** How many members of each section are needed, by id, and how many people in all. */
  needed: {
    kind: 'setting',
    input: z.record(z.union([z.literal('all'), Id.toLowerCase()]), z.int().min(1).max(1000)),
    output: z.record(z.string(), z.int()),
    empty: {},
    toText: (value: Record<string, number>) => Object.values(value).join(', '),
    max: 1000,
  },
} satisfies Record<string, Field<unknown>>;

type Definitions = typeof eventFields;
export type EventField = keyof Definitions;
export type EventFields = { [Key in EventField]: z.output<Definitions[Key]['output']> };
export type EventPatch = Partial<EventFields>;

export const eventFieldKeys = Object.keys(eventFields) as EventField[];

/** The fields that notices mention: the title, then facts, then texts. */
export const keysByImportance = ['title', 'fact', 'text'].flatMap((kind) =>
  eventFieldKeys.filter((key) => eventFields[key].kind === kind),
);

/** The question to members and its choices, which change together. */
export const questionKeys = eventFieldKeys.filter((key) => eventFields[key].kind === 'question');

const mapFields = <Mapped extends Record<EventField, unknown>>(map: (field: Field<unknown>) => unknown) =>
  Object.fromEntries(
    Object.entries<Field<unknown>>(eventFields).map(([key, field]) => [key, map(field)]),
  ) as Mapped;

const inputs = mapFields<{ [Key in EventField]: Definitions[Key]['input'] }>(({ input }) => input);
export const eventFieldOutputs = mapFields<{ [Key in EventField]: Definitions[Key]['output'] }>(
  ({ output }) => output,
);
export const emptyEventFields = mapFields<EventFields>(({ empty }) => empty);

export const newEventFields = {
  ...mapFields<{ [Key in EventField]: z.ZodDefault<Definitions[Key]['input']> }>(({ input, empty }) =>
    input.default(empty),
  ),
  name: inputs.name.min(1),
  location_name: inputs.location_name.min(1),
};

export const editedEventFields = { ...z.object(inputs).partial().shape, name: inputs.name.min(1).optional() };

/** A field as text for people. Snapshots that were stored before the field existed lack it. */
export function fieldText(event: EventPatch, key: EventField): string {
  const { toText, empty }: Field<unknown> = eventFields[key];
  return toText(event[key] ?? empty);
}

/** Of the event fields, cards and previews contain only these three. The page for members contains all of them. */
export const { name, description, location_name, ...outputsForMembers } = eventFieldOutputs;
export const memberFieldKeys = Object.keys(outputsForMembers) as (keyof typeof outputsForMembers)[];
