import type { Dispatch, SetStateAction } from 'react';
import { Failure } from '#wire/client.ts';

/** The form's data as loaded: its fields, and the version for `If-Match`. */
export interface Loaded<Fields, Version = number> {
  fields: Fields;
  version: Version;
}

/** The user's input, on top of the data that was loaded when the first field changed. Undefined before that. */
export type Edited<Fields, Version = number> =
  | {
      base: Loaded<Fields, Version>;
      entered: Partial<Fields>;
      /** After a conflict: the fields that others changed as well. */
      contested?: (keyof Fields)[];
    }
  | undefined;

type State<Fields, Version> = [
  edited: Edited<Fields, Version>,
  change: Dispatch<SetStateAction<Edited<Fields, Version>>>,
];

interface SharedForm<Fields, Version> {
  /** The newest known data. An untouched form shows it; a changed one keeps its first `base` until it is saved. */
  loaded: Loaded<Fields, Version>;
  /** Loads the newest data. */
  load: () => Promise<Loaded<Fields, Version>>;
  /** Part of the result of `useDraft`. */
  state: State<Fields, Version>;
}

/**
 * A form of something that others may edit at the same time. It is saved only if nobody else has saved it since it was
 * loaded. Otherwise the newer data is loaded into the fields that are untouched, and the next `save` sends the result.
 */
export function useSharedForm<Fields extends object, Version = number>({
  loaded,
  load,
  state: [edited, setEdited],
}: SharedForm<Fields, Version>) {
  const { fields, version } = edited?.base ?? loaded;
  return {
    values: { ...fields, ...edited?.entered },
    /** The fields as they were loaded. */
    base: fields,
    version,
    /** After a conflict: the fields in which others entered something else. `base` has the values of the others. */
    conflict: edited?.contested,
    change: (change: Partial<Fields> | ((values: Fields) => Partial<Fields>)) =>
      setEdited((before) => {
        const { base = loaded, ...rest } = before ?? { entered: {} };
        const patch = typeof change === 'function' ? change({ ...base.fields, ...rest.entered }) : change;
        return rebased({ base, ...rest, entered: { ...rest.entered, ...patch } }, base);
      }),
    /** Continues from the saved data. Input that was not saved stays. */
    accept: (saved: Loaded<Fields, Version>) =>
      setEdited((before) => {
        const { entered } = before ?? { entered: {} };
        return rebased({ base: saved, entered }, saved);
      }),
    /** Resolves with undefined after a conflict. */
    async save<Data>(send: (values: Fields, version: Version) => Promise<Data>): Promise<Data | undefined> {
      const { base = loaded, entered = {} } = edited ?? {};
      try {
        return await send({ ...base.fields, ...entered }, base.version);
      } catch (failure) {
        if (!isConflict(failure)) throw failure;
      }
      const newest = await load();
      const merge = (before: Edited<Fields, Version>) =>
        rebased({ base, entered: {}, contested: [], ...before }, newest, isAlike);
      setEdited((before) => merge(before) ?? { base: newest, entered: {}, contested: [] });
      // True if an earlier attempt has saved all of the input, and only its response was lost.
      const isSaved = Object.keys(entered).length > 0 && !merge({ base, entered });
      return isSaved ? send(newest.fields, newest.version) : undefined;
    },
  };
}

const isConflict = (failure: unknown) => failure instanceof Failure && failure.error === 'changed_meanwhile';

/** The same input on top of newer data. Undefined if no input differs from that data. */
function rebased<Fields extends object, Version>(
  { base: before, entered, contested }: NonNullable<Edited<Fields, Version>>,
  base: Loaded<Fields, Version>,
  isEqual = isSame,
): Edited<Fields, Version> {
  const keys = (Object.keys(entered) as (keyof Fields)[]).filter(
    (key) => !isEqual(entered[key], base.fields[key]),
  );
  if (keys.length === 0) return undefined;
  const isContested = (key: keyof Fields) =>
    contested?.includes(key) || !isEqual(before.fields[key], base.fields[key]);
  return {
    base,
    entered: pick(entered, keys),
    ...(contested && { contested: keys.filter(isContested) }),
  };
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The server stores texts without the spaces around them. */
const isAlike = (one: unknown, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string' ? one.trim() === other.trim() : isSame(one, other);

const pick = <Fields extends object, Key extends keyof Fields>(
  fields: Fields,
  keys: readonly Key[],
): Pick<Fields, Key> => Object.fromEntries(keys.map((key) => [key, fields[key]])) as Pick<Fields, Key>;
