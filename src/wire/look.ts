import type { Language } from '#languages/languages.ts';

export const clocks = ['auto', '12', '24'] as const;

/** How a reader sees texts and times. */
export interface Look {
  language: Language;
  /** `auto` means the clock that is usual in the language. */
  clock: (typeof clocks)[number];
  /** `undefined` means the time zone of the process. */
  timeZone?: string | undefined;
}

let current: Look = { language: 'en', clock: 'auto' };

/** The look of the page in the browser, and of what is being rendered on the server. */
export const look = (): Look => current;

/** Sets the look of the page. Used only in the browser, before the first render. */
export function setLook(of: Look): void {
  current = of;
}

/**
 * Renders in the look of a reader. `render` is synchronous, so that concurrent requests never see the look of another
 * reader.
 */
export function inLook<T>(of: Look, render: [T] extends [Promise<unknown>] ? never : () => T): T {
  const before = current;
  current = of;
  try {
    return render();
  } finally {
    current = before;
  }
}

const usesHalfDays = new Map<Language, boolean>();

/** Whether the reader has a 12-hour clock. */
export function hasHalfDays({ language, clock } = current): boolean {
  if (clock !== 'auto') return clock === '12';
  const cached = usesHalfDays.get(language);
  if (cached !== undefined) return cached;
  const { hour12 = false } = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions();
  usesHalfDays.set(language, hour12);
  return hour12;
}
