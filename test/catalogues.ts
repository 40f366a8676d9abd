import { glob, readFile } from 'node:fs/promises';
import { parseAst } from 'vite';
import { errorCodes } from '#wire/errors.ts';

/** The texts of a language by `<catalogue>.<key>`. */
export type Texts = Record<string, string>;

interface Call {
  callee: { name?: string };
  arguments: { value?: string; properties?: { key: { name: string }; value: { value: string } }[] }[];
}

/** The English texts of all catalogues. */
export async function englishTexts(): Promise<Texts> {
  const texts: Texts = {};
  for await (const file of glob('src/**/*messages.ts')) {
    const [name, english] = catalogueIn(await readFile(file, 'utf8')) ?? [];
    for (const [key, text] of english ?? []) {
      if (`${name}.${key}` in texts) throw new Error(`Two catalogues have the key ${name}.${key}.`);
      texts[`${name}.${key}`] = text;
    }
  }
  return texts;
}

function catalogueIn(source: string): [name: string | undefined, texts: [string, string][]] | undefined {
  const call = callOf('defineMessages', parseAst(source, { lang: 'ts' }));
  if (!call) return undefined;
  const [name, english] = call.arguments;
  // The texts of error codes are not literals, but come from the list of codes.
  const texts =
    english?.properties?.map(({ key, value }): [string, string] => [key.name, value.value]) ??
    Object.entries(errorCodes).map(([code, [, text]]): [string, string] => [code, text]);
  return [name?.value, texts];
}

function callOf(name: string, node: unknown): Call | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  if ((node as Partial<Call>).callee?.name === name) return node as Call;
  for (const child of Object.values(node)) {
    const found = callOf(name, child);
    if (found) return found;
  }
  return undefined;
}

/** What a text contains besides words. */
interface Shape {
  placeholders: Set<string>;
  tags: string[];
  /** The forms of each choice, such as `n plural`. */
  choices: Map<string, string[]>;
}

function shapeOf(text: string): Shape {
  const shape: Shape = { placeholders: new Set(), tags: [], choices: new Map() };
  shape.tags = [...text.matchAll(/<(\w+)>.*?<\/\1>/gs)].map(([, tag = '']) => tag).toSorted();
  readPlaceholders(text, shape);
  return shape;
}

function readPlaceholders(text: string, shape: Shape): void {
  for (const content of blocksIn(text)) {
    const [, name = content.inside, type, forms] =
      /^(\w+), (plural|selectordinal|select), (.*)$/s.exec(content.inside) ?? [];
    shape.placeholders.add(name);
    if (forms === undefined) continue;
    const blocks = blocksIn(forms);
    shape.choices.set(
      `${name} ${type}`,
      blocks.map(({ before }) => before.trim()),
    );
    for (const { inside } of blocks) readPlaceholders(inside, shape);
  }
}

/** The outermost blocks in braces, each with the text before it. */
function blocksIn(text: string): { before: string; inside: string }[] {
  const blocks = [];
  let [depth, start, end] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{' && depth++ === 0) start = at;
    if (text[at] === '}' && --depth === 0) {
      blocks.push({ before: text.slice(end, start), inside: text.slice(start + 1, at) });
      end = at + 1;
    }
    if (depth < 0) break;
  }
  if (depth !== 0) throw new Error('has braces that do not match');
  return blocks;
}

/** What is wrong with the texts of a language, compared with the English ones. */
export function problemsOf(language: string, texts: Texts, english: Texts): string[] {
  const missing = Object.keys(english).filter((key) => !(key in texts));
  const additional = Object.keys(texts).filter((key) => !(key in english));
  return [
    ...missing.map((key) => `${key} is missing`),
    ...additional.map((key) => `${key} is not an English key`),
    ...Object.entries(english).flatMap(([key, text]) =>
      key in texts ? differences(language, texts[key] ?? '', text).map((what) => `${key} ${what}`) : [],
    ),
  ];
}

function differences(language: string, text: string, english: string): string[] {
  if (text.trim() === '') return ['is empty'];
  try {
    const [here, there] = [shapeOf(text), shapeOf(english)];
    return [
      ...compare('placeholders', [...here.placeholders], [...there.placeholders]),
      ...compare('tags', here.tags, there.tags),
      ...[...here.choices].flatMap(([choice, forms]) =>
        wrongForms(language, choice, forms, there.choices.get(choice)),
      ),
    ];
  } catch (problem) {
    return [(problem as Error).message];
  }
}

const compare = (what: string, here: string[], there: string[]): string[] => {
  const [found, wanted] = [here.toSorted().join(', '), there.toSorted().join(', ')];
  return found === wanted ? [] : [`has the ${what} ${found || 'none'} instead of ${wanted || 'none'}`];
};

/** A choice that only the translation has is allowed, because languages differ in where they need plural forms. */
function wrongForms(language: string, choice: string, forms: string[], english: string[] = []): string[] {
  if (choice.endsWith(' select')) return compare(`forms of ${choice}`, forms, english);
  const type = choice.endsWith(' selectordinal') ? 'ordinal' : 'cardinal';
  const { pluralCategories } = new Intl.PluralRules(language, { type }).resolvedOptions();
  const isDefined = (form: string) =>
    /^=\d+$/.test(form) || pluralCategories.includes(form as Intl.LDMLPluralRule);
  const needed = [
    'other',
    ...english.filter((form) => pluralCategories.includes(form as Intl.LDMLPluralRule)),
  ];
  return [
    ...forms.filter((form) => !isDefined(form)).map((form) => `has an unknown form ${form} of ${choice}`),
    ...needed
      .filter((form, at) => !forms.includes(form) && needed.indexOf(form) === at)
      .map((form) => `lacks the form ${form} of ${choice}`),
  ];
}
