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

interface FunctionMeasure {
  line: number;
  lines: number;
  /** Deepest nesting of control statements; `else if` counts like its `if`. */
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
  walk(node, (child) => {
    found ||= child.type === "JSXElement" || child.type === "JSXFragment";
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

/** The lines of all nodes of these types. */
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

/** A block without statements, even if it contains a comment. */
const isEmpty = (body: unknown): boolean =>
  isNode(body) && body.type === "BlockStatement" && childrenOf(body).length === 0;

const isUndefined = (body: unknown): boolean => isNode(body) && body.type === "Identifier" && body.name === "undefined";

/** The body of the handler in `.catch(…)`. */
const catchBodyOf = ({ type, callee, arguments: given }: SyntaxNode): unknown => {
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return undefined;
  const isCatch = isNode(callee.property) && callee.property.name === "catch";
  const [handler] = Array.isArray(given) ? given : [];
  return isCatch && isNode(handler) && FUNCTIONS.has(handler.type) ? handler.body : undefined;
};

/** An empty `catch` in the text of an inline script. */
const SILENT_CATCH = /\bcatch ?(\(\w*\))? ?\{ ?\}/;

/**
 * The lines on which errors are silently ignored: `catch {}`, `.catch(() => {})`, the same in an inline script's text
 * and, if requested, `.catch(() => undefined)`.
 */
export const linesWithSilentCatch = (file: SourceFile, { withUndefined }: { withUndefined: boolean }): number[] => {
  const lines: number[] = [];
  walk(file.tree, (node) => {
    const handler = node.type === "CatchClause" ? node.body : catchBodyOf(node);
    const isSilent = isEmpty(handler) || (withUndefined && isUndefined(handler));
    const isScript = node.type === "TemplateElement" && SILENT_CATCH.test(file.text.slice(node.start, node.end));
    if (isSilent || isScript) lines.push(lineAt(file, node.start));
    return undefined;
  });
  return lines;
};
