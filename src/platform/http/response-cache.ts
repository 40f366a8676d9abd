import type { Instant } from '#wire/instant.ts';

/** Something made that holds from a moment on, and until just before the other. */
interface Lasting {
  octets: Buffer;
  from: Instant;
  until: Instant;
}

/** Something kept under a key, as it is made from a state with this mark. */
interface Wanted<Made extends Lasting> {
  /** What it shows. */
  key: string;
  /** Of the state that was found now: as long as it is the same, so is what was made from it. */
  mark: string;
  now: Instant;
  /** May tell later that so many octets more belong to it. */
  make(heavier: (octets: number) => void): Promise<Made>;
}

interface Shelf<Made> {
  mark: string;
  made: Promise<Made>;
  /** None while it is being made. */
  size: number;
}

/**
 * Keeps what was made while its mark lasts; what was not asked for the longest goes first. What is just being made serves
 * whoever finds the same mark: between that and what it is made from lies no change.
 */
export function shelves<Made extends Lasting>(most: number): (wanted: Wanted<Made>) => Promise<Made> {
  const all = new Map<string, Shelf<Made>>();
  let size = 0;

  function drop(key: string, shelf: Shelf<Made>): void {
    if (all.get(key) !== shelf) return;
    all.delete(key);
    size -= shelf.size;
  }

  function load(key: string, shelf: Shelf<Made>, octets: number): void {
    if (all.get(key) !== shelf) return;
    shelf.size += octets;
    size += octets;
    for (const [other, oldest] of all) {
      if (size <= most) return;
      drop(other, oldest);
    }
  }

  function make({ key, mark, make }: Wanted<Made>): Promise<Made> {
    const before = all.get(key);
    if (before) drop(key, before);
    const made = make((octets) => load(key, shelf, octets));
    const shelf = { mark, made, size: 0 };
    all.set(key, shelf);
    made.then(
      ({ octets }) => load(key, shelf, octets.length),
      () => drop(key, shelf),
    );
    return made;
  }

  return async (wanted) => {
    const shelf = all.get(wanted.key);
    if (shelf?.mark !== wanted.mark) return make(wanted);
    // Asked for now, so it goes last.
    all.delete(wanted.key);
    all.set(wanted.key, shelf);
    const made = await shelf.made;
    return made.from <= wanted.now && wanted.now < made.until ? made : make(wanted);
  };
}
