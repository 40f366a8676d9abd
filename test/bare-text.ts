import { join } from 'node:path';
import ts from 'typescript';

/** Part of a list of children that React inserts and removes on its own. */
interface Slot {
  node: ts.Node;
  /** Whether it can be a text without an element around it. */
  isText: boolean;
  /** Whether it can be absent, or change from one element to another. */
  isVariable: boolean;
}

const { StringLike, NumberLike, BigIntLike, Any, Unknown, Null, Undefined, Void, BooleanLike } = ts.TypeFlags;
const textLike = StringLike | NumberLike | BigIntLike | Any | Unknown;
const nothing = Null | Undefined | Void | BooleanLike;

/** Components of these packages always render one element. */
const stableComponents = /^['"](lucide-react|react-router)['"]$/;

/** The type checker for the modules of the web app, and for a module with the source `example`. */
function programOf(root: string, example: string) {
  const path = join(root, 'tsconfig.web.json');
  const { fileNames, options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path, ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const files = fileNames.filter((file) => !/\.test\.|\/test\//.test(file));
  const exampleFile = join(root, 'src/ui/Example.tsx');
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (file) => (file === exampleFile ? example : readFile(file));
  host.fileExists = (file) => file === exampleFile || fileExists(file);
  const program = ts.createProgram([...files, exampleFile], options, host);
  return { program, checker: program.getTypeChecker(), files: [...files, exampleFile] };
}

/**
 * The texts beside parts that appear, disappear or change. A translator wraps each text node of a page in an element.
 * React then fails if it removes that text node, or inserts something before it. A text in an element of its own is
 * safe, and so is a text followed by such a part.
 */
export function bareTexts(root: string, example: string): string[] {
  const { program, checker, files } = programOf(root, example);

  const alternativesOf = (type: ts.Type): ts.Type[] =>
    type.isUnion() ? type.types.flatMap(alternativesOf) : [type];
  const membersOf = (of: ts.Type): ts.Type[] =>
    alternativesOf(of).flatMap((type) => {
      if (!checker.isArrayType(type) && !checker.isTupleType(type)) return [type];
      const items = checker.getTypeArguments(type as ts.TypeReference);
      // A list can be empty.
      return [checker.getNullType(), ...items.flatMap(alternativesOf)];
    });
  const isEmpty = (type: ts.Type) => ['""', '0', '0n'].includes(checker.typeToString(type));

  function isStable(tag: ts.JsxTagNameExpression): boolean {
    if (ts.isIdentifier(tag) && /^[a-z]/.test(tag.text)) return true;
    const [declaration] = checker.getSymbolAtLocation(tag)?.declarations ?? [];
    const source = declaration && ts.findAncestor(declaration, ts.isImportDeclaration)?.moduleSpecifier;
    return source !== undefined && stableComponents.test(source.getText());
  }

  function slotOf(node: ts.JsxChild): Slot | undefined {
    if (ts.isJsxText(node))
      return node.containsOnlyTriviaWhiteSpaces ? undefined : { node, isText: true, isVariable: false };
    if (ts.isJsxExpression(node)) {
      if (!node.expression) return undefined;
      const types = membersOf(checker.getTypeAtLocation(node.expression));
      const isText = types.some((type) => type.flags & textLike && !isEmpty(type));
      const isVariable = types.some(
        (type) => type.flags & nothing || isEmpty(type) || type.flags & ts.TypeFlags.Object,
      );
      return { node, isText, isVariable };
    }
    if (ts.isJsxFragment(node)) return { node, isText: false, isVariable: true };
    const { tagName } = ts.isJsxElement(node) ? node.openingElement : node;
    return { node, isText: false, isVariable: !isStable(tagName) };
  }

  /** Whether a condition shows or hides given children, which may be several texts and elements. */
  function isChoiceOfNodes(node: ts.Node): boolean {
    const { expression } = node as ts.JsxExpression;
    if (!ts.isJsxExpression(node) || !expression) return false;
    const branches = ts.isConditionalExpression(expression)
      ? [expression.whenTrue, expression.whenFalse]
      : ts.isBinaryExpression(expression)
        ? [expression.left, expression.right]
        : [];
    return branches.some((branch) => {
      const types = membersOf(checker.getTypeAtLocation(branch));
      return (
        types.some((type) => type.flags & textLike && !isEmpty(type)) &&
        types.some((type) => type.flags & ts.TypeFlags.Object)
      );
    });
  }

  function isBroken(slot: Slot, previous: Slot | undefined, parent: ts.Node, count: number): boolean {
    // A fragment can be removed, and its texts with it.
    if (ts.isJsxFragment(parent)) return slot.isText;
    if (count === 1) return isChoiceOfNodes(slot.node);
    return slot.isText && (slot.isVariable || previous?.isVariable === true);
  }

  const found: string[] = [];
  for (const file of files) {
    const source = program.getSourceFile(file);
    if (!source) throw new Error(`${file} is not part of the program.`);
    const visit = (node: ts.Node): void => {
      if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
        const slots = node.children.flatMap((child) => slotOf(child) ?? []);
        for (const [at, slot] of slots.entries()) {
          if (!isBroken(slot, slots[at - 1], node, slots.length)) continue;
          const { line } = source.getLineAndCharacterOfPosition(slot.node.getStart());
          found.push(`${file.slice(root.length)}:${line + 1} ${slot.node.getText().trim()}`);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}
