import { isLanguage, type Language } from '#languages/languages.ts';
import { loadLanguage } from '#web/first/load-language.ts';
import { clocks, type Look, look, setLook } from '#wire/look.ts';
import { isLoggedIn, keys } from './session.ts';
import { localStore } from './storage.ts';

/** The fields of a user that decide how the user sees texts and times. */
interface LookFields extends Pick<Look, 'language' | 'clock'> {
  time_zone: string | null;
}

/** The look of a user. `device` is the time zone of the device. */
export const lookOfUser = (user: LookFields | undefined, device?: string): Look => ({
  language: user?.language ?? 'en',
  clock: user?.clock ?? 'auto',
  timeZone: user?.time_zone ?? device,
});

/**
 * The look that the user had in this browser, so that a page can be shown in it before the user is loaded. Validated,
 * because users can change the storage. Without a session, the language in the URL counts more.
 */
function storedLook(): Look | undefined {
  const inUrl = new URLSearchParams(location.search).get('lang') ?? '';
  if (isLanguage(inUrl) && !isLoggedIn()) return undefined;
  try {
    const stored = JSON.parse(localStore.get(keys.look) ?? '') as Partial<Look> | null;
    const { language = '', clock = 'auto', timeZone } = stored ?? {};
    if (!isLanguage(language) || !clocks.includes(clock)) return undefined;
    if (timeZone !== undefined) Intl.DateTimeFormat('en', { timeZone }).format();
    return { language, clock, timeZone };
  } catch {
    return undefined;
  }
}

/** The look of the page before anything is known about the user: the server has chosen its language. */
const lookOfPage = (): Look => {
  const { lang } = document.documentElement;
  return { language: isLanguage(lang) ? lang : 'en', clock: 'auto' };
};

/** The look that the page should have. `rendered` is the look in which the server has rendered the screen. */
const wantedLook = (rendered?: Look): Look => rendered ?? storedLook() ?? lookOfPage();

/** Whether the markup of the page is in another language than the user's. */
export const isInOtherLanguage = (): boolean => wantedLook().language !== lookOfPage().language;

/** Starts to load the texts that `startLook` needs. */
export const preloadTexts = (rendered?: Look): void =>
  void loadLanguage(wantedLook(rendered).language).catch(() => {});

/** The language whose texts could not be loaded, so that the page is in English. */
export let missingLanguage: Language | undefined;

/** Sets the look of the page, which stays the same while the page is open, and loads its texts. */
export async function startLook(rendered?: Look): Promise<void> {
  const wanted = wantedLook(rendered);
  await loadLanguage(wanted.language).catch(() => {
    missingLanguage = wanted.language;
  });
  setLook(missingLanguage ? { ...wanted, language: 'en' } : wanted);
  document.documentElement.lang = look().language;
}

const isSame = (one: Look | undefined, other: Look) =>
  one?.language === other.language && one.clock === other.clock && one.timeZone === other.timeZone;

/** Keeps the look of the user in this browser. Returns whether the page has another one and has to be reloaded. */
export function keepLook(user: LookFields): boolean {
  const wanted = lookOfUser(user);
  if (!isSame(storedLook(), wanted)) localStore.set(keys.look, JSON.stringify(wanted));
  // If the storage keeps nothing, or the texts could not be loaded, reloading would never end.
  return !missingLanguage && !isSame(look(), wanted) && isSame(storedLook(), wanted);
}
