import { z } from 'zod';
import { firstDay, lastDay } from '#wire/day.ts';
import { firstInstant, lastInstant } from '#wire/instant.ts';
import { contracts } from '#features/contracts.ts';
import type { AnyEndpoint } from '#wire/endpoint.ts';

/** Every endpoint, named 'feature.call'. */
export const endpoints: readonly [name: string, endpoint: AnyEndpoint][] = Object.entries(contracts).flatMap(
  ([feature, contract]) =>
    Object.entries<AnyEndpoint>(contract).map(([call, endpoint]): [string, AnyEndpoint] => [
      `${feature}.${call}`,
      endpoint,
    ]),
);

/** A schema inside an input, and the path of its value. For the items of an array, the path contains index 0. */
export interface Part {
  path: (string | number)[];
  schema: z.core.$ZodType;
}

interface Definition {
  type: string;
  innerType?: z.core.$ZodType;
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  options?: z.core.$ZodType[];
}

export const definitionOf = (schema: z.core.$ZodType) => schema._zod.def as unknown as Definition;

export const jsonOf = (schema: z.core.$ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/** All schemas of an input, without those that only wrap another schema, for example to make it optional. */
export function partsOf(schema: z.core.$ZodType, path: Part['path'] = []): Part[] {
  const { innerType, shape, element, options } = definitionOf(schema);
  if (innerType) return partsOf(innerType, path);
  if (options) return options.flatMap((option) => partsOf(option, path));
  const inner = shape ? Object.entries(shape) : element ? [[0, element] as const] : [];
  return [{ path, schema }, ...inner.flatMap(([key, part]) => partsOf(part, [...path, key]))];
}

/** A copy of a body with another value at a path. */
export function withValue(body: unknown, [key, ...rest]: Part['path'], value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const items = Array.isArray(body) ? (body as unknown[]) : [];
    return [withValue(items[key], rest, value), ...items.slice(1)];
  }
  const fields = (body ?? {}) as Record<string, unknown>;
  return { ...fields, [key]: withValue(fields[key], rest, value) };
}

const days = ['0000-01-01', '0001-01-01', '1999-12-31', firstDay, lastDay, '2201-01-01', '9999-12-31'];
const instants = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '1999-12-31T23:59:59.999Z',
  firstInstant,
  lastInstant,
  '2201-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
];

/** The smallest and the largest valid value of a number, a day, a time or an instant. Empty for other types. */
export function rangeOf(schema: z.core.$ZodType): unknown[] {
  const { type, format, minimum, maximum } = jsonOf(schema);
  if (type === 'integer' || type === 'number') return [minimum, maximum];
  if (format === 'date') return [firstDay, lastDay];
  if (format === 'date-time') return [firstInstant, lastInstant];
  return format === 'time' ? ['00:00', '23:59'] : [];
}

/** Valid and invalid values at the limits of a type. */
export function limitsOf(schema: z.core.$ZodType): unknown[] {
  const {
    type,
    format,
    minimum = 0,
    maximum = 0,
    maxLength = 300,
    maxItems = 0,
    enum: options,
    const: only,
  } = jsonOf(schema);
  const others = [null, '', {}, []];
  if (options) return [...options, ...others];
  if (only !== undefined) return [only, ...others];
  if (type === 'boolean') return [true, false, ...others];
  if (type === 'array') return [...others, Array(maxItems).fill(null), Array(maxItems + 1).fill(null)];
  if (type === 'integer' || type === 'number')
    return [...rangeOf(schema), minimum - 1, maximum + 1, 0, 0.5, 2 ** 31, -(2 ** 53), 1e308, ...others];
  if (type !== 'string') return others;
  if (format === 'date') return [...days, ...others];
  if (format === 'date-time') return [...instants, ...others];
  if (format === 'time') return [...rangeOf(schema), '24:00', ...others];
  if (format === 'uuid')
    return ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', ...others];
  return ['x'.repeat(maxLength), 'x'.repeat(maxLength + 1), 'a\0b', '\uD800', ...others];
}
