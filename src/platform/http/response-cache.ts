import type { Instant } from '#wire/instant.ts';

/** Something made that holds from a moment on, and until just before the other. */
interface Lasting {
  bytes: Buffer;
  from: Instant;
  until: Instant;
}

/** Something kept under a key, as it is made from a state with this mark. */
interface Wanted<Made extends Lasting> {
  /** What it shows. */
  key: string;
  /** Of the state that was found now: as long as it is the same, so is what was made from it. */
  version: string;
  now: Instant;
  /** May tell later that so many octets more belong to it. */
  make(addSize: (bytes: number) => void): Promise<Made>;
}

interface Entry<Made> {
  version: string;
  made: Promise<Made>;
  /** None while it is being made. */
  size: number;
}

/**
 * Keeps what was made while its mark lasts; what was not asked for the longest goes first. What is just being made serves
 * whoever finds the same mark: between that and what it is made from lies no change.
 */
export function responseCache<Made extends Lasting>(max: number): (wanted: Wanted<Made>) => Promise<Made> {
  const all = new Map<string, Entry<Made>>();
  let size = 0;

  function drop(key: string, entry: Entry<Made>): void {
    if (all.get(key) !== entry) return;
    all.delete(key);
    size -= entry.size;
  }

  function load(key: string, entry: Entry<Made>, bytes: number): void {
    if (all.get(key) !== entry) return;
    entry.size += bytes;
    size += bytes;
    for (const [other, oldest] of all) {
      if (size <= max) return;
      drop(other, oldest);
    }
  }

  function make({ key, version, make }: Wanted<Made>): Promise<Made> {
    const before = all.get(key);
    if (before) drop(key, before);
    const made = make((bytes) => load(key, entry, bytes));
    const entry = { version, made, size: 0 };
    all.set(key, entry);
    made.then(
      ({ bytes }) => load(key, entry, bytes.length),
      () => drop(key, entry),
    );
    return made;
  }

  return async (wanted) => {
    const entry = all.get(wanted.key);
    if (entry?.version !== wanted.version) return make(wanted);
    // Asked for now, so it goes last.
    all.delete(wanted.key);
    all.set(wanted.key, entry);
    const made = await entry.made;
    return made.from <= wanted.now && wanted.now < made.until ? made : make(wanted);
  };
}
