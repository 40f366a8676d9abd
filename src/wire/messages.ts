/** The values for the placeholders of a message. */
export type MessageValues = Record<string, string | number>;

/** The placeholder names of a message: `name` and `n` of 'Hi {name}, {n, plural, one {# event} other {# events}}'. */
type Placeholders<Message extends string> = Message extends `${infer Before}{${infer Rest}`
  ? (Before extends `${string}${PluralCategory} ` ? never : NameIn<Rest>) | Placeholders<Rest>
  : never;
type NameIn<Rest extends string> = Rest extends `${infer Content}}${string}`
  ? Content extends `${infer Name},${string}`
    ? Name
    : Content
  : never;
type PluralCategory = Intl.LDMLPluralRule | `=${number}`;

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

/**
 * The texts of a feature, by key, in ICU MessageFormat: `{name}`, and `{n, plural, one {# event} other {# events}}`,
 * where `#` is the number. Returns the function that looks them up; the compiler requires their values.
 */
export function defineMessages<const Messages extends Record<string, string>>(
  messages: Messages,
): Translate<Messages> {
  const t: Translate<Messages> = (key, ...[values]) => formatMessage(messages[key] as string, values ?? {});
  // Values are filled in after the message is split, so a value never becomes an element.
  t.parts = (key, tags, ...[values = {}]) => {
    const pieces = (messages[key] as string).split(/<(\w+)>(.*?)<\/\1>/s);
    return pieces.flatMap((piece, at) => {
      if (at % 3 === 1) return [];
      const text = formatMessage(piece, values);
      const make = at % 3 === 2 && tags[pieces[at - 1] as string];
      return [make ? make(text) : text];
    });
  };
  return t;
}

const language = 'en';
const plural = new Intl.PluralRules(language);
const number = new Intl.NumberFormat(language);

/** Fills the placeholders of one message in. `count` replaces `#` in a plural form. */
export function formatMessage(message: string, values: MessageValues, count?: number): string {
  let text = '';
  for (let at = 0; at < message.length; at++) {
    const char = message[at] as string;
    if (char === '#' && count !== undefined) text += number.format(count);
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
  const [, name = content, forms] = /^(\w+), plural, (.*)$/s.exec(content) ?? [];
  const value = values[name];
  if (value === undefined) throw new Error(`No value for {${name}}`);
  if (forms === undefined) return typeof value === 'number' ? number.format(value) : value;
  const form = formIn(forms, `=${value}`) ?? formIn(forms, plural.select(Number(value)));
  return formatMessage(form ?? formIn(forms, 'other') ?? '', values, Number(value));
}

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
