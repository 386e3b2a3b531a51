import { posix } from "node:path";
import { type SourceFile, type SyntaxNode, walk } from "./files.ts";

export interface Import {
  from: SourceFile;
  /** Path from the root for our own files, otherwise the package's name. */
  to: string;
  isOurs: boolean;
  /** Only types are imported, so nothing remains at run time. */
  typeOnly: boolean;
}

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

const sourceText = (node: SyntaxNode): string | null => {
  const source = node.source;
  const value = typeof source === "object" && source !== null && "value" in source ? source.value : null;
  return typeof value === "string" ? value : null;
};

const isTypeOnly = (node: SyntaxNode): boolean => {
  if (node.importKind === "type" || node.exportKind === "type") return true;
  const specifiers = Array.isArray(node.specifiers) ? node.specifiers : [];
  return (
    specifiers.length > 0 &&
    specifiers.every((specifier) => specifier.importKind === "type" || specifier.exportKind === "type")
  );
};

const IMPORTING = new Set(["ImportDeclaration", "ExportNamedDeclaration", "ExportAllDeclaration", "ImportExpression"]);

/** Every import and re-export of a file, resolved to paths from the root. */
export const importsOf = (file: SourceFile): Import[] => {
  const found: Import[] = [];
  walk(file.tree, (node) => {
    const specifier = IMPORTING.has(node.type) ? sourceText(node) : null;
    if (specifier === null) return undefined;
    const ours = specifier.startsWith(".") || specifier.startsWith("#");
    const path = specifier.startsWith(".") ? posix.join(posix.dirname(file.path), specifier) : specifier.slice(1);
    found.push({ from: file, to: ours ? path : packageOf(specifier), isOurs: ours, typeOnly: isTypeOnly(node) });
    return undefined;
  });
  return found;
};

/** The cycles of a graph, each as a path that returns to its start. */
export const cyclesOf = (graph: ReadonlyMap<string, ReadonlySet<string>>): string[] => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, path: string[]): void => {
    if (path.includes(node)) {
      cycles.push([...path.slice(path.indexOf(node)), node].join(" → "));
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
};
