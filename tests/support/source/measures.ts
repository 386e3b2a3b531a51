import { childrenOf, lineAt, type SourceFile, type SyntaxNode, walk } from "./files.ts";

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const NESTING = new Set([
  "IfStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "SwitchStatement",
  "TryStatement",
]);

export interface FunctionMeasure {
  line: number;
  lines: number;
  /** Deepest nesting of control statements, `else if` counting as its `if`. */
  nesting: number;
  hasJsx: boolean;
}

const isElseIf = (parent: SyntaxNode, node: SyntaxNode): boolean =>
  parent.type === "IfStatement" && node.type === "IfStatement" && parent.alternate === node;

const depthBelow = (node: SyntaxNode): number =>
  Math.max(
    0,
    ...childrenOf(node).map((child) => {
      if (FUNCTIONS.has(child.type)) return 0;
      const own = NESTING.has(child.type) && !isElseIf(node, child) ? 1 : 0;
      return own + depthBelow(child);
    }),
  );

const containsJsx = (node: SyntaxNode): boolean => {
  let found = false;
  walk(node, (one) => {
    found ||= one.type === "JSXElement" || one.type === "JSXFragment";
    return !found;
  });
  return found;
};

/** Length and nesting of every function of a file. */
export const functionsOf = (file: SourceFile): FunctionMeasure[] => {
  const found: FunctionMeasure[] = [];
  walk(file.tree, (node) => {
    if (!FUNCTIONS.has(node.type)) return undefined;
    const line = lineAt(file, node.start);
    found.push({
      line,
      lines: lineAt(file, node.end) - line + 1,
      nesting: depthBelow(node),
      hasJsx: containsJsx(node),
    });
    return undefined;
  });
  return found;
};

/** Lines on which a node of one of the types stands. */
export const linesOf = (file: SourceFile, types: readonly string[]): number[] => {
  const lines: number[] = [];
  walk(file.tree, (node) => {
    if (types.includes(node.type)) lines.push(lineAt(file, node.start));
    return undefined;
  });
  return lines;
};

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** A block without a statement: comments do nothing either. */
const isEmpty = (body: unknown): boolean =>
  isNode(body) && body.type === "BlockStatement" && childrenOf(body).length === 0;

const isUndefined = (body: unknown): boolean => isNode(body) && body.type === "Identifier" && body.name === "undefined";

/** What is done with the error in `.catch(…)`: the body of the function that takes it. */
const takerOf = ({ type, callee, arguments: given }: SyntaxNode): unknown => {
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return undefined;
  const isCatch = isNode(callee.property) && callee.property.name === "catch";
  const [taker] = Array.isArray(given) ? given : [];
  return isCatch && isNode(taker) && FUNCTIONS.has(taker.type) ? taker.body : undefined;
};

/** A `catch` without a statement in a text that is a script itself, as those inline in a page. */
const SILENT_TEXT = /\bcatch ?(\(\w*\))? ?\{ ?\}/;

/**
 * Lines on which an error is caught and nothing is done: `catch {}`, `.catch(() => {})`, the same in a script's text,
 * and, if asked, `.catch(() => undefined)`.
 */
export const silencesOf = (file: SourceFile, { withUndefined }: { withUndefined: boolean }): number[] => {
  const lines: number[] = [];
  walk(file.tree, (node) => {
    const taker = node.type === "CatchClause" ? node.body : takerOf(node);
    const isSilent = isEmpty(taker) || (withUndefined && isUndefined(taker));
    const isScript = node.type === "TemplateElement" && SILENT_TEXT.test(file.text.slice(node.start, node.end));
    if (isSilent || isScript) lines.push(lineAt(file, node.start));
    return undefined;
  });
  return lines;
};
