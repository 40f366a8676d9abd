/** How a moment is typed: MM/dd/yyyy hh:mm aa, in the viewer's zone. */
export const DATE_TIME_PATTERN = 'MM/dd/yyyy hh:mm aa';

export const MINUTE_STEP = 5;

const two = (number: number) => String(number).padStart(2, '0');

/** The clock's own three parts: hour 1 to 12, minute, and the half of the day. */
export function clockParts(date: Date): { hour: number; minute: number; half: 'AM' | 'PM' } {
  return {
    hour: date.getHours() % 12 || 12,
    minute: date.getMinutes(),
    half: date.getHours() < 12 ? 'AM' : 'PM',
  };
}

/** The same day with another time on the 12-hour clock. */
export function withClock(date: Date, { hour, minute, half }: ReturnType<typeof clockParts>): Date {
  const hours = (hour % 12) + (half === 'PM' ? 12 : 0);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate(), hours, minute);
}

export function dateTimeText(date: Date): string {
  const { hour, minute, half } = clockParts(date);
  const day = `${two(date.getMonth() + 1)}/${two(date.getDate())}/${String(date.getFullYear()).padStart(4, '0')}`;
  return `${day} ${two(hour)}:${two(minute)} ${half}`;
}

const typed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})\s+(\d{1,2}):(\d{2})\s*([ap])m$/i;

/** What was typed, or null where it is no date and time that exists. */
export function parseDateTime(text: string): Date | null {
  const found = typed.exec(text.trim());
  if (!found) return null;
  const [month, day, year, hour, minute] = found.slice(1, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(year, month - 1, day);
  const exists = year >= 1000 && date.getMonth() === month - 1 && date.getDate() === day;
  if (!exists || hour < 1 || hour > 12 || minute > 59) return null;
  return withClock(date, { hour, minute, half: found[6]?.toUpperCase() === 'A' ? 'AM' : 'PM' });
}
