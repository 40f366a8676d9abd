import { glob, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, test } from 'vitest';
import { languages } from '#languages/languages.ts';
import { englishTexts, problemsOf, type Texts } from '#test/catalogues.ts';

/** The attributes and properties whose texts people read. */
const readable =
  /^(title|text|label|placeholder|aria-label|alt|hint|description|caption|notSaved|(busy|confirm|cancel|close|copy)Label)$/;

interface Node {
  type?: string;
  name?: { name?: string };
  key?: { name?: string; value?: string };
  value?: Node | string;
}

/** The texts in a source file that are not in a catalogue. */
function textsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(textsIn);
  const { type, name, key, value } = node as Node;
  if (type?.startsWith('TS')) return [];
  if (type === 'JSXText') return wordsIn(value as string);
  const isReadable =
    (type === 'JSXAttribute' && readable.test(name?.name ?? '')) ||
    (type === 'Property' && readable.test(key?.name ?? key?.value ?? ''));
  if (isReadable && typeof value === 'object' && value.type === 'Literal')
    return wordsIn(String(value.value));
  return Object.values(node).flatMap(textsIn);
}

const wordsIn = (text: string) => (/[A-Za-z]{2}/.test(text) ? [text.trim()] : []);

const sources = async (pattern: string) =>
  Promise.all(
    (await Array.fromAsync(glob(pattern)))
      .filter((file) => !file.includes('.test.'))
      .map(async (file) => ({ file, source: await readFile(file, 'utf8') })),
  );

test('screens: show no text that is not in a catalogue', async () => {
  const found = (await sources('src/**/*.tsx')).flatMap(({ file, source }) =>
    textsIn(parseAst(source, { lang: 'tsx' })).map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});

/** Modules whose functions return texts in the language of the reader. */
const inReadersLanguage = /messages\.ts$|^#wire\/(format|duration)\.ts$/;

/** The names that a source file imports from these modules. */
function importedTexts(body: Import[]): string[] {
  return body
    .filter(({ type, source }) => type === 'ImportDeclaration' && inReadersLanguage.test(source?.value ?? ''))
    .flatMap(({ specifiers = [] }) => specifiers.map(({ local }) => local.name))
    .filter((name) => name !== 'defineMessages');
}

interface Import {
  type: string;
  source?: { value: string };
  specifiers?: { local: { name: string } }[];
}

interface Expression {
  type?: string;
  static?: boolean;
  callee?: { name?: string; object?: { name?: string } };
}

/** The names of those functions that are called while the module is loaded. */
function calledAtLoad(node: unknown, names: string[]): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((each) => calledAtLoad(each, names));
  const { type = '', callee, static: isStatic } = node as Expression;
  if (/Function/.test(type) || (type === 'PropertyDefinition' && !isStatic)) return [];
  const name = callee?.name ?? callee?.object?.name;
  const isCalled = type === 'CallExpression' && name !== undefined && names.includes(name);
  return [...(isCalled ? [name] : []), ...Object.values(node).flatMap((each) => calledAtLoad(each, names))];
}

const calledWhileLoading = (source: string, lang: 'ts' | 'tsx' = 'tsx') => {
  const { body } = parseAst(source, { lang });
  return calledAtLoad(body, importedTexts(body as unknown as Import[]));
};

describe('module level', () => {
  test('no text, date or number is formatted while a module is loaded, when its reader is unknown [LANG-21]', async () => {
    const found = (await sources('src/**/*.{ts,tsx}')).flatMap(({ file, source }) =>
      calledWhileLoading(source, file.endsWith('x') ? 'tsx' : 'ts').map((name) => `${file}: ${name}`),
    );
    expect(found).toEqual([]);
  });

  const imports = `import { t as ofClubs } from '#features/clubs/messages.ts';
    import { shortDate } from '#wire/format.ts';`;
  test.each([
    ["export const title = ofClubs('edit');", ['ofClubs']],
    ["export const titles = { parts: [ofClubs.parts('edit', {})] };", ['ofClubs']],
    ["const node = <p title={ofClubs('edit')}>{shortDate(0)}</p>;", ['ofClubs', 'shortDate']],
    ["class Page { static title = ofClubs('edit'); static { shortDate(0); } }", ['ofClubs', 'shortDate']],
    ["export const title = () => ofClubs('edit');", []],
    ["function Page() { return <p>{ofClubs('edit')}</p>; }", []],
    ["class Page { title = ofClubs('edit'); text() { return shortDate(0); } }", []],
    ["const t = (key: string) => key; t('edit');", []],
  ])('the calls while loading %s are %j', (source, names) => {
    expect(calledWhileLoading(`${imports}\n${source}`)).toEqual(names);
  });
});

const translationsIn = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as Texts;

test('texts: an organiser is somebody with that role in a club, and no host [ROLE2-08]', async () => {
  const aboutTheRole =
    /^(clubs\.form\.organisersPlan(Hint)?|members\.((csv\.)?organiser|letOrganisersPlan(Text)?|log\.(gotRole|fieldOrganisersPlan)|notices\.role(Changed|Subject)))$/;
  const keysWith = (word: RegExp, texts: Texts) =>
    Object.entries(texts).flatMap(([key, text]) => (word.test(text) && !aboutTheRole.test(key) ? [key] : []));
  expect(keysWith(/\borganisers?\b/i, await englishTexts())).toEqual([]);
  expect(keysWith(/\bTeams?\b/, await translationsIn('src/languages/de.json'))).toEqual([]);
});

describe('languages', () => {
  test('each language but English has a file, and each file is in the list of languages', async () => {
    const files = await Array.fromAsync(glob('src/languages/*.json'));
    const codes = Object.keys(languages).filter((code) => code !== 'en');
    expect(files.map((file) => basename(file, '.json')).toSorted()).toEqual(codes.toSorted());
  });

  test('each has the keys, placeholders, tags and plural forms of English [LANG-01 LANG-21]', async () => {
    const english = await englishTexts();
    for await (const file of glob('src/languages/*.json'))
      expect(problemsOf(basename(file, '.json'), await translationsIn(file), english), file).toEqual([]);
  });

  test('German examples of times have two digits for the hour, like all German times of the app [LANG-13]', async () => {
    const texts = Object.entries(await translationsIn('src/languages/de.json'));
    expect(texts.filter(([, text]) => /(?<!\d)\d:\d\d\sUhr/.test(text))).toEqual([]);
  });

  const english = {
    'a.name': 'Hi {name}',
    'a.link': 'Open <link>the {place}</link>',
    'a.count': '{n, plural, =0 {none} one {# event of {name}} other {# events of {name}}}',
    'a.place': '{n, selectordinal, one {#st} other {#th}}',
    'a.role': 'You are {role, select, admin {an admin} other {a member}}',
  };
  test.each<[what: string, change: Record<string, string | undefined>, problems: string[]]>([
    ['the same texts', {}, []],
    ['other plural forms', { 'a.count': '{name}: {n, plural, one {# Termin} other {# Termine}}' }, []],
    ['no plural forms', { 'a.count': '{n} von {name}' }, []],
    ['plural forms that English lacks', { 'a.name': '{name, plural, one {# da} other {# da}}' }, []],
    ['a missing key', { 'a.name': undefined }, ['a.name is missing']],
    ['an additional key', { 'a.more': 'Mehr' }, ['a.more is not an English key']],
    ['an empty text', { 'a.name': ' ' }, ['a.name is empty']],
    ['another placeholder', { 'a.name': 'Hallo {nam}' }, ['a.name has the placeholders nam instead of name']],
    ['no placeholder', { 'a.name': 'Hallo' }, ['a.name has the placeholders none instead of name']],
    [
      'one placeholder too many',
      { 'a.name': '{name} {n}' },
      ['a.name has the placeholders n, name instead of name'],
    ],
    [
      'a form without its placeholder',
      { 'a.count': '{n, plural, one {# Termin} other {# Termine}}' },
      ['a.count has the placeholders n instead of n, name'],
    ],
    ['no tag', { 'a.link': 'Den {place} öffnen' }, ['a.link has the tags none instead of link']],
    ['another tag', { 'a.link': '<b>Den {place}</b> öffnen' }, ['a.link has the tags b instead of link']],
    ['a tag that is not closed', { 'a.link': '<link>{place}' }, ['a.link has the tags none instead of link']],
    [
      'no other form',
      { 'a.count': '{n, plural, one {# {name}}}' },
      ['a.count lacks the form other of n plural'],
    ],
    [
      'no form for one',
      { 'a.count': '{n, plural, other {# {name}}}' },
      ['a.count lacks the form one of n plural'],
    ],
    [
      'a form that the language does not have',
      { 'a.count': '{n, plural, one {# {name}} few {# {name}} other {# {name}}}' },
      ['a.count has an unknown form few of n plural'],
    ],
    ['one ordinal form, as German has', { 'a.place': '{n, selectordinal, other {#.}}' }, []],
    [
      'a select without a form',
      { 'a.role': 'Du bist {role, select, other {Mitglied}}' },
      ['a.role has the forms of role select other instead of admin, other'],
    ],
    ['a brace that is not closed', { 'a.name': 'Hallo {name' }, ['a.name has braces that do not match']],
  ])('German with %s has the problems %3$j', (_, change, problems) => {
    const texts = JSON.parse(JSON.stringify({ ...english, 'a.place': '{n}.', ...change })) as Texts;
    expect(problemsOf('de', texts, english)).toEqual(problems);
  });
});

test('catalogues: every message is used, and no text occurs twice', async () => {
  const all = await sources('src/**/*.{ts,tsx}');
  for (const { file, source } of all.filter((each) => each.file.endsWith('messages.ts'))) {
    const messages = [...source.matchAll(/^ {2}(\w+):\s+(['"`].*['"`]),$/gm)].map(([, key, text]) => ({
      key,
      text,
    }));
    const users = all.filter(
      (each) =>
        each.source.includes(`'#${file.slice('src/'.length)}'`) ||
        (dirname(each.file) === dirname(file) && each.source.includes(`'./${basename(file)}'`)),
    );
    const used = users.map((each) => each.source).join('\n');
    expect(
      messages.filter(({ key }) => !used.includes(`'${key}'`)),
      file,
    ).toEqual([]);
    const texts = messages.map(({ text }) => text);
    expect(
      texts.filter((text, at) => texts.indexOf(text) < at),
      file,
    ).toEqual([]);
  }
});
