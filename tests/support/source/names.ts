import { lineAt, type SourceFile, type SyntaxNode, walk } from "./files.ts";

/** A declared name or a shown text. */
interface Occurrence {
  text: string;
  line: number;
}

const isIdentifier = (node: unknown): node is SyntaxNode & { name: string } =>
  typeof node === "object" && node !== null && "type" in node && node.type === "Identifier";

/** The identifiers of a pattern: `{ a, b: [c] }` declares a and c. */
const namesIn = (pattern: unknown): (SyntaxNode & { name: string })[] => {
  if (isIdentifier(pattern)) return [pattern];
  if (typeof pattern !== "object" || pattern === null) return [];
  const { type, properties, elements, value, left, argument } = pattern as Partial<Record<string, unknown>>;
  if (type === "ObjectPattern" && Array.isArray(properties)) return properties.flatMap(namesIn);
  if (type === "ArrayPattern" && Array.isArray(elements)) return elements.flatMap(namesIn);
  return namesIn(value ?? left ?? argument);
};

const DECLARATIONS = new Set([
  "FunctionDeclaration",
  "ClassDeclaration",
  "TSTypeAliasDeclaration",
  "TSInterfaceDeclaration",
  "TSEnumDeclaration",
]);

/** Names of variables, parameters, functions, classes and types that a file declares. */
export const declaredNames = (file: SourceFile): Occurrence[] => {
  const found: Occurrence[] = [];
  const add = (pattern: unknown): void => {
    for (const { name, start } of namesIn(pattern)) found.push({ text: name, line: lineAt(file, start) });
  };
  walk(file.tree, (node) => {
    if (node.type === "VariableDeclarator" || DECLARATIONS.has(node.type)) add(node.id);
    if (Array.isArray(node.params)) for (const param of node.params) add(param);
    return undefined;
  });
  return found;
};

/** Texts that may be shown: JSX text, and strings that contain a space. */
export const shownTexts = (file: SourceFile): Occurrence[] => {
  const found: Occurrence[] = [];
  walk(file.tree, (node) => {
    const { type, value } = node;
    const isText = type === "JSXText" || (type === "Literal" && typeof value === "string" && value.includes(" "));
    if (isText) found.push({ text: String(value), line: lineAt(file, node.start) });
    if (type === "TemplateElement") {
      const { cooked } = Object(value);
      if (typeof cooked === "string") found.push({ text: cooked, line: lineAt(file, node.start) });
    }
    return undefined;
  });
  return found;
};

/** The words of a name: `listOpenPins` has list, open and pins; `pin-grid.tsx` has pin, grid and tsx. */
export const wordsOf = (name: string): string[] =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
