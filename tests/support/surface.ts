import { globSync, readFileSync } from "node:fs";
import { inRepository } from "#scripts/root.ts";
import { testDistDir } from "./app.ts";
import { v1Calls } from "./v1-spec.ts";

/** A route handler: its path, such as `/api/users/pinterest/boards/[accountId]`, and the methods it answers itself. */
interface SurfaceCall {
  pattern: string;
  methods: string[];
}

/** A server action, and a page of its build that runs it. */
export interface SurfaceAction {
  name: string;
  id: string;
  page: string;
}

/** Everything that the product answers. */
export interface Surface {
  calls: SurfaceCall[];
  pages: string[];
  actions: SurfaceAction[];
}

/** `app/(public)/blog/[slug]/page.tsx` → `/blog/[slug]` */
const patternOf = (file: string): string => {
  const parts = file.replaceAll("\\", "/").split("/").slice(1, -1);
  return `/${parts.filter((part) => !/^\(.*\)$/.test(part)).join("/")}`;
};

/** The keys of `routes({ … })`, or the exported methods. `routes` itself answers all others with 405. */
const methodsIn = (source: string): string[] => {
  const names = source.includes("routes(")
    ? source.matchAll(/^ {2,4}(DELETE|GET|PATCH|POST|PUT):/gm)
    : source.matchAll(/\b(?:as|const|function)\s+(DELETE|GET|PATCH|POST|PUT)\b/g);
  return [...new Set([...names].map(([, name = ""]) => name))].toSorted();
};

const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: inRepository() }).toSorted();

/** Every route handler, from the file tree. */
export const surfaceCalls = (): SurfaceCall[] => [
  // `**` leaves folders out whose names start with a dot.
  ...[...filesOf("app/**/route.ts"), ...filesOf("app/.well-known/**/route.ts")]
    // One file answers the whole public API, whose calls are listed by its catalog.
    .filter((file) => !file.startsWith("app/api/v1/"))
    .map((file) => ({ pattern: patternOf(file), methods: methodsIn(readFileSync(inRepository(file), "utf8")) })),
  ...v1Calls(),
];

/** Every page, from the file tree. */
export const surfacePages = (): string[] => filesOf("app/**/page.tsx").map(patternOf);

/** Every server action of the test build, by its manifest. */
export const surfaceActions = (): SurfaceAction[] => {
  const file = inRepository(testDistDir, "server", "server-reference-manifest.json");
  const manifest: { node: Record<string, { exportedName: string; workers: Record<string, unknown> }> } = JSON.parse(
    readFileSync(file, "utf8"),
  );
  const actions = Object.entries(manifest.node).map(([id, { exportedName: name, workers }]) => {
    const pages = Object.keys(workers).map(patternOf);
    return { name, id, page: pages.find((page) => !page.includes("[")) ?? pages[0] ?? "/" };
  });
  return actions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** Call {@link ensureTestBuild} first. */
export const readSurface = (): Surface => ({
  calls: surfaceCalls(),
  pages: surfacePages(),
  actions: surfaceActions(),
});

/** The names of a pattern's parameters: `/blog/[slug]` has `slug`, `[[...unknown]]` has `unknown`. */
export const parametersOf = (pattern: string): string[] =>
  [...pattern.matchAll(/\[+(?:\.\.\.)?(\w+)\]+/g)].map(([, name = ""]) => name);

/** A path of the pattern; `textOf` returns each parameter's text as it is written into the path. */
export const pathOf = (pattern: string, textOf: (name: string) => string): string =>
  pattern.replace(/\[+(?:\.\.\.)?(\w+)\]+/g, (_, name: string) => textOf(name));
