import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A node of the syntax tree, with the fields that these tests read. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

export interface SourceFile {
  /** Path from the repository's root, with `/`. */
  path: string;
  text: string;
  lines: number;
  tree: SyntaxNode;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** The children of a node, in no particular order. */
export const childrenOf = (node: SyntaxNode): SyntaxNode[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));

/** Visits a tree from the top; a `visit` that returns false skips the node's children. */
export const walk = (node: SyntaxNode, visit: (node: SyntaxNode) => boolean | undefined): void => {
  if (visit(node) === false) return;
  for (const child of childrenOf(node)) walk(child, visit);
};

const parse = (path: string, text: string): SyntaxNode => {
  const tree: unknown = parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts", astType: "ts" });
  if (!isNode(tree)) throw new Error(`${path} could not be parsed`);
  return tree;
};

/** Every tracked or untracked, but not ignored, TypeScript file, parsed. */
export const readSources = (): SourceFile[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", "*.ts", "*.tsx"], { cwd: root })
    .toString()
    .split("\n")
    .filter((path) => path && !path.endsWith(".d.ts"))
    .map((path) => {
      const text = readFileSync(`${root}/${path}`, "utf8");
      return { path, text, lines: text.split("\n").length - 1, tree: parse(path, text) };
    });

/** The 1-based line of a position. */
export const lineAt = (file: SourceFile, position: number): number => file.text.slice(0, position).split("\n").length;
