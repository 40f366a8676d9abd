import type { Language } from '#languages/languages.ts';
import { look } from '#wire/look.ts';

/** The values for the placeholders of a message. */
export type MessageValues = Record<string, string | number>;

/** The placeholder names of a message: `name` and `n` of 'Hi {name}, {n, plural, one {# event} other {# events}}'. */
type Placeholders<Message extends string> = Message extends `${string}{${infer Rest}`
  ? Rest extends `${infer Content}}${infer After}`
    ? Content extends `${infer Name}, ${Choice}, ${string}`
      ? Name | InForms<Rest>
      : Content | Placeholders<After>
    : never
  : never;
type Choice = 'plural' | 'selectordinal' | 'select';
/** The placeholder names in the forms of a choice, and in the text after it. Forms contain no other choice. */
type InForms<Rest extends string> = Rest extends `${infer Before}}${infer After}`
  ? Before extends `${string}{${infer Text}`
    ? InForm<`${Text}}${After}`>
    : Placeholders<After>
  : never;
type InForm<Rest extends string> = Rest extends `${infer Before}}${infer After}`
  ? Before extends `${string}{${infer Name}`
    ? Name | InForm<After>
    : InForms<After>
  : never;

type ValuesOf<Message extends string> = [Placeholders<Message>] extends [never]
  ? []
  : [values: { [Name in Placeholders<Message>]: string | number }];

export interface Translate<Messages extends Record<string, string>> {
  /** Looks up a message by its key and fills its placeholders in. */
  <Key extends keyof Messages>(key: Key, ...values: ValuesOf<Messages[Key]>): string;
  /** The parts of a message with elements: `tags.link` gets the text in 'Open <link>the settings</link>'. */
  parts<Key extends keyof Messages, Element>(
    key: Key,
    tags: Record<string, (text: string) => Element>,
    ...values: ValuesOf<Messages[Key]>
  ): (string | Element)[];
}

/** The texts of the languages other than English, by `<catalogue>.<key>`. */
const translations = new Map<Language, Record<string, string>>();

/** Adds texts of a language. Until then, readers of the language see English. */
export function addTranslations(language: Language, texts: Record<string, string>): void {
  translations.set(language, { ...translations.get(language), ...texts });
}

/**
 * The English texts of a catalogue, by key, in ICU MessageFormat: `{name}`, `{role, select, admin {…} other {…}}`, and
 * `{n, plural, one {# event} other {# events}}`, where `#` is the number. Returns the function that looks texts up in
 * the language of the reader. The compiler requires the values of a text. The annotation lets the build leave out
 * catalogues that a bundle does not use.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineMessages<const Messages extends Record<string, string>>(
  catalogue: string,
  english: Messages,
): Translate<Messages> {
  const find = (key: keyof Messages): string => {
    const text = translations.get(look().language)?.[`${catalogue}.${String(key)}`];
    return text ?? (english[key] as string);
  };
  const t: Translate<Messages> = (key, ...[values]) => formatMessage(find(key), values ?? {});
  // Values are filled in after the message is split, so a value never becomes an element.
  t.parts = (key, tags, ...[values = {}]) => {
    const pieces = find(key).split(/<(\w+)>(.*?)<\/\1>/s);
    return pieces.flatMap((piece, at) => {
      if (at % 3 === 1) return [];
      const text = formatMessage(piece, values);
      const make = at % 3 === 2 && tags[pieces[at - 1] as string];
      return [make ? make(text) : text];
    });
  };
  return t;
}

/** Creating an `Intl` object is slow, so there is one for each language. */
function perLanguage<T>(create: (language: Language) => T): () => T {
  const created = new Map<Language, T>();
  return () => {
    const { language } = look();
    const object = created.get(language) ?? create(language);
    created.set(language, object);
    return object;
  };
}

const plurals = {
  plural: perLanguage((language) => new Intl.PluralRules(language)),
  selectordinal: perLanguage((language) => new Intl.PluralRules(language, { type: 'ordinal' })),
};
const number = perLanguage((language) => new Intl.NumberFormat(language));
const lists = {
  and: perLanguage((language) => new Intl.ListFormat(language === 'en' ? 'en-GB' : language)),
  or: perLanguage(
    (language) => new Intl.ListFormat(language === 'en' ? 'en-GB' : language, { type: 'disjunction' }),
  ),
};

/** 'Ada, Bob and Cyd', or with `or`: 'Ada, Bob or Cyd'. */
export const listOf = (items: readonly string[], join: 'and' | 'or' = 'and'): string =>
  lists[join]().format(items);

/** Fills the placeholders of one message in. `count` replaces `#` in a plural form. */
export function formatMessage(message: string, values: MessageValues, count?: number): string {
  let text = '';
  for (let at = 0; at < message.length; at++) {
    const char = message[at] as string;
    if (char === '#' && count !== undefined) text += number().format(count);
    else if (char !== '{') text += char;
    else {
      const end = endOf(message, at);
      text += formatPlaceholder(message.slice(at + 1, end), values);
      at = end;
    }
  }
  return text;
}

function formatPlaceholder(content: string, values: MessageValues): string {
  const [, name = content, type, forms] = /^(\w+), (plural|selectordinal|select), (.*)$/s.exec(content) ?? [];
  const value = values[name];
  if (value === undefined) throw new Error(`No value for {${name}}`);
  if (forms === undefined) return typeof value === 'number' ? number().format(value) : isolated(value);
  const exact = formIn(forms, type === 'select' ? String(value) : `=${value}`);
  const category =
    type === 'select' ? 'other' : plurals[type as keyof typeof plurals]().select(Number(value));
  const form = exact ?? formIn(forms, category) ?? formIn(forms, 'other') ?? '';
  return type === 'select' ? formatMessage(form, values) : formatMessage(form, values, Number(value));
}

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/**
 * Isolates a value that is written from right to left, so that it does not reorder the sentence around it: U+2068 and
 * U+2069 have that effect in HTML, in plain text and in the subjects of emails.
 */
const isolated = (value: string): string => (rightToLeft.test(value) ? `\u2068${value}\u2069` : value);

/** The text of one form of a plural such as 'one {# event} other {# events}'. */
function formIn(forms: string, wanted: string): string | undefined {
  for (let at = 0; at < forms.length;) {
    const start = forms.indexOf('{', at);
    const end = endOf(forms, start);
    if (forms.slice(at, start).trim() === wanted) return forms.slice(start + 1, end);
    at = end + 1;
  }
  return undefined;
}

/** The index of the brace that closes the one at `start`. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  throw new Error(`A brace is not closed: ${text}`);
}
