import { parseAst } from 'vite';

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** A node of a syntax tree and all nodes below it. */
function* nodesIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) yield value as Node;
  for (const below of Object.values(value)) yield* nodesIn(below);
}

interface Template extends Node {
  tag: { name?: string };
  quasi: Node & { quasis: { value: { cooked: string } }[]; expressions: Node[] };
}

const templatesIn = (node: unknown) =>
  nodesIn(node).filter(
    (each): each is Template =>
      each.type === 'TaggedTemplateExpression' && (each as Template).tag.name === 'sql',
  );

/** The number of lines of each `sql` template of a module. */
export const linesOfTemplates = (source: string, lang: 'ts' | 'tsx') =>
  [...templatesIn(parseAst(source, { lang }))].map(
    ({ quasi }) => source.slice(quasi.start, quasi.end).split('\n').length,
  );

const withoutTexts = (sql: string) => sql.replaceAll(/--.*$/gm, '').replaceAll(/'[^']*'/g, "''");
const all = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map((match) => match[1] as string);

/** The aliases and tables that qualify columns in these templates, but that none of the templates introduces. */
function foreignAliases(templates: readonly Template[]): string[] {
  const text = templates
    .map(({ quasi }) => withoutTexts(quasi.quasis.map(({ value }) => value.cooked).join('()')))
    .join('\n');
  const references = templates
    .flatMap(({ quasi }) => [...nodesIn(quasi.expressions)])
    .flatMap(({ type, value }) => (type === 'Literal' ? all(/^([a-z_]+)\.[a-z_]+$/g, String(value)) : []));
  const used = [...references, ...all(/(?<![\w.])([a-z_]\w*)\.(?=[a-z_*])/g, text)];
  const named = new Set([
    'excluded',
    ...all(/(?<=\b(?:from|join|update|into|using)\s+\(?)(\w+)/g, text),
    ...all(/(?<=\b(?:from|join|update|into|using)\s+\(?\w+\s+)(\w+)/g, text),
    ...all(/(?<=\bas\s+)(\w+)/g, text),
    ...all(/(?<=,\s+\w+\s+)(\w+)/g, text),
    ...all(/(?<=\)\s+)(\w+)/g, text),
  ]);
  return [...new Set(used)].filter((alias) => !named.has(alias));
}

/**
 * The declarations of a module whose `sql` templates use an alias that only other code introduces, as 'name: aliases'.
 */
export function declarationsWithForeignAliases(source: string, lang: 'ts' | 'tsx'): string[] {
  const statements = (parseAst(source, { lang }).body as unknown as Node[]).map(
    (statement) => (statement['declaration'] as Node | null | undefined) ?? statement,
  );
  const declarations = statements.flatMap((each) => (each['declarations'] as Node[] | undefined) ?? [each]);
  return declarations.flatMap((declaration) => {
    const aliases = foreignAliases([...templatesIn(declaration)]);
    const { name = '' } = (declaration['id'] as { name?: string } | null | undefined) ?? {};
    return aliases.length > 0 ? [`${name}: ${aliases.join(', ')}`] : [];
  });
}
