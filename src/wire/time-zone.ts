import { text } from '#wire/text.ts';

/** The present names of zones for which Intl still uses a former name. */
const presentNames = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Catamarca', 'America/Argentina/Catamarca'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Cordoba', 'America/Argentina/Cordoba'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Jujuy', 'America/Argentina/Jujuy'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['America/Mendoza', 'America/Argentina/Mendoza'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Enderbury', 'Pacific/Kanton'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
]);

const presentName = (name: string): string => presentNames.get(name) ?? name;

/** The zones to choose from. */
export const timeZones = (): string[] => Intl.supportedValuesOf('timeZone').map(presentName);

let canonicalNames: ReadonlySet<string> | undefined;

/** Whether this is the name that Intl uses for a zone. Trying to create a format would take fifty times as long. */
const isCanonical = (name: string): boolean =>
  (canonicalNames ??= new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])).has(name);

const maxName = 64;

/**
 * The name under which a zone is stored: the one that Intl resolves, brought up to date. Undefined if there is no such
 * zone. Offsets such as '+01:00' are not zones, although Intl accepts them.
 */
export function canonicalTimeZone(name: string): string | undefined {
  if (isCanonical(name)) return presentName(name);
  if (name.length > maxName || !/^[a-z]/i.test(name)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return presentName(timeZone);
  } catch {
    return undefined;
  }
}

export const isTimeZone = (name: string): boolean => canonicalTimeZone(name) !== undefined;

/**
 * The zone after an edit: another name of the same zone changes nothing. Rows that earlier releases stored can have
 * former names and abbreviations.
 */
export const editedTimeZone = (before: string, after = before): string =>
  after === before || canonicalTimeZone(after) === canonicalTimeZone(before) ? before : after;

/** An IANA name, stored as the canonical name of its zone. */
export const TimeZone = text(maxName)
  .overwrite((name) => canonicalTimeZone(name) ?? name)
  .refine(isTimeZone, 'is no time zone');
