/** The input format, in the viewer's time zone. */
export const DATE_TIME_PATTERN = 'MM/dd/yyyy hh:mm aa';

export const MINUTE_STEP = 5;

const twoDigits = (number: number) => String(number).padStart(2, '0');

/** The parts of a 12-hour clock: hour (1 to 12), minute, and AM or PM. */
export function clockParts(date: Date): { hour: number; minute: number; half: 'AM' | 'PM' } {
  return {
    hour: date.getHours() % 12 || 12,
    minute: date.getMinutes(),
    half: date.getHours() < 12 ? 'AM' : 'PM',
  };
}

/** The same day at another time of the 12-hour clock. */
export function withClock(date: Date, { hour, minute, half }: ReturnType<typeof clockParts>): Date {
  const hours = (hour % 12) + (half === 'PM' ? 12 : 0);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate(), hours, minute);
}

export function dateTimeText(date: Date): string {
  const { hour, minute, half } = clockParts(date);
  const day = `${twoDigits(date.getMonth() + 1)}/${twoDigits(date.getDate())}/${String(date.getFullYear()).padStart(4, '0')}`;
  return `${day} ${twoDigits(hour)}:${twoDigits(minute)} ${half}`;
}

const inputPattern = /^(\d{1,2})\/(\d{1,2})\/(\d{4})\s+(\d{1,2}):(\d{2})\s*([ap])m$/i;

/** Parses input. Returns null if it is not an existing date and time. */
export function parseDateTime(text: string): Date | null {
  const match = inputPattern.exec(text.trim());
  if (!match) return null;
  const [month, day, year, hour, minute] = match.slice(1, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(year, month - 1, day);
  const exists = year >= 1000 && date.getMonth() === month - 1 && date.getDate() === day;
  if (!exists || hour < 1 || hour > 12 || minute > 59) return null;
  return withClock(date, { hour, minute, half: match[6]?.toUpperCase() === 'A' ? 'AM' : 'PM' });
}
