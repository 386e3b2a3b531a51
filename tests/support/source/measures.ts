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
