import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WIDE_FIELDS } from "#lib/core/log.ts";
import { inRepository } from "#scripts/root.ts";
import { FEATURES, VENDORS } from "#tests/support/source/features.ts";
import { readSources, type SourceFile, type SyntaxNode } from "#tests/support/source/files.ts";
import { cyclesOf, type Import, importsOf } from "#tests/support/source/imports.ts";
import { functionsOf, linesOf, linesWithSilentCatch } from "#tests/support/source/measures.ts";
import { declaredNames, shownTexts, wordsOf } from "#tests/support/source/names.ts";

const sources = readSources();
const imports = sources.flatMap(importsOf);
const product = sources.filter(({ path }) => !path.startsWith("tests/"));
const LAYERS = ["app", "components", "lib", "db", "inngest"];
const PUBLIC_MODULES = ["schema", "wire", "constants", "policy", "fields", "texts", "actions", "plans"];
/** Every feature may use the plans, so they may not depend on any. */
const PLANS = "lib/features/billing/plans.ts";
const featureOf = (path: string): string | undefined => /^lib\/features\/([^/]+)\//.exec(path)?.[1];
const fileName = (path: string): string => /([^/]+)\.tsx?$/.exec(path)?.[1] ?? path;
const isPublic = (path: string): boolean => PUBLIC_MODULES.includes(fileName(path));
const isEngine = (path: string): boolean => /^lib\/features\/[^/]+\/engine\//.test(path);
const show = ({ from, to }: Import): string => `${from.path} → ${to}`;

/** What a file may import at run time, by its layer. Types may come from anywhere below. */
const mayImport = ({ from, to }: Import): boolean => {
  const path = from.path;
  if (path.startsWith("app/")) return /^(app|components|lib|inngest)\//.test(to);
  if (path.startsWith("components/")) {
    return (
      /^(components|lib\/client|lib\/core)\//.test(to) || isEngine(to) || (featureOf(to) !== undefined && isPublic(to))
    );
  }
  if (path.startsWith("lib/core/")) return to.startsWith("lib/core/");
  if (path.startsWith("lib/client/")) {
    return /^lib\/(client|core)\//.test(to) || (featureOf(to) !== undefined && isPublic(to));
  }
  if (path.startsWith("lib/integrations/")) return /^lib\/(core\/|integrations\/|context\.ts)/.test(to);
  if (path.startsWith("lib/features/")) {
    return (
      /^(lib\/(features|core)\/|lib\/context\.ts|db\/)/.test(to) ||
      (isPublic(path) && /^lib\/server\/(form-)?action\.ts$/.test(to))
    );
  }
  if (path.startsWith("lib/server/")) return /^lib\/(server|core|features|composition|context|env)/.test(to);
  if (path.startsWith("lib/")) return /^(lib|db)\//.test(to);
  if (path.startsWith("db/")) return to.startsWith("db/");
  if (path.startsWith("inngest/")) return /^(inngest|lib\/(features|composition|core|integrations\/jobs))/.test(to);
  if (path.startsWith("sandbox/")) return to.startsWith("sandbox/");
  return true;
};

describe("layers and features", () => {
  test("dependencies point one way: move the code to a layer that may import it", () => {
    expect(imports.filter((one) => one.isOurs && !one.typeOnly && !mayImport(one)).map(show)).toEqual([]);
  });

  test("nothing imports app; lib never imports components, not even a type", () => {
    const wrong = imports.filter(
      ({ from, to, isOurs }) =>
        isOurs &&
        ((to.startsWith("app/") && !from.path.startsWith("app/")) ||
          (from.path.startsWith("lib/") && to.startsWith("components/"))),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  test("only lib/features, lib/context.ts and lib/composition.ts import the database", () => {
    const wrong = imports.filter(
      ({ from, to, isOurs }) =>
        isOurs &&
        to.startsWith("db/") &&
        LAYERS.some((layer) => from.path.startsWith(`${layer}/`)) &&
        !/^(db\/|lib\/features\/|lib\/context\.ts|lib\/composition\.ts)/.test(from.path),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  test("the stand-ins and the product do not import each other", () => {
    const wrong = imports.filter(({ from, to, isOurs }) => {
      const inSandbox = from.path.startsWith("sandbox/");
      const inProduct = LAYERS.some((layer) => from.path.startsWith(`${layer}/`));
      return isOurs && ((inProduct && to.startsWith("sandbox/")) || (inSandbox && !to.startsWith("sandbox/")));
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test("a feature imports only types of an integration: the instance comes through ctx", () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        from.path.startsWith("lib/features/") && to.startsWith("lib/integrations/") && !typeOnly,
    );
    expect(wrong.map(show)).toEqual([]);
  });

  test("features depend on each other as tests/support/source/features.ts declares", () => {
    const wrong = imports.filter(({ from, to }) => {
      const [feature, other] = [featureOf(from.path), featureOf(to)];
      if (feature === undefined || other === undefined || feature === other || to === PLANS) return false;
      return !FEATURES[feature]?.includes(other);
    });
    expect(wrong.map(show)).toEqual([]);
    const ofPlans = imports.filter(({ from, to }) => from.path === PLANS && !to.startsWith("lib/core/"));
    expect(ofPlans.map(show)).toEqual([]);
  });

  test("an engine is pure: it imports itself, its feature's constants and policy, lib/core and its vendors only", () => {
    const wrong = imports.filter(({ from, to, isOurs }) => {
      const feature = isEngine(from.path) ? featureOf(from.path) : undefined;
      if (feature === undefined) return false;
      if (!isOurs) return !VENDORS[to]?.some((folder) => from.path.startsWith(folder));
      const allowed = new RegExp(`^lib/(core/|features/${feature}/(engine/|(constants|policy)\\.ts))`);
      return !allowed.test(to);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test("vendor packages stay in their folder", () => {
    const wrong = imports.filter(
      ({ from, to, isOurs }) =>
        !isOurs &&
        !from.path.startsWith("tests/") &&
        VENDORS[to] &&
        !VENDORS[to].some((folder) => from.path.startsWith(folder)),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  test("lib/env.ts is the only reader of process.env in the product", () => {
    const wrong = product.filter(
      ({ path, text }) =>
        path !== "lib/env.ts" && LAYERS.some((layer) => path.startsWith(`${layer}/`)) && /process\.env/.test(text),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

test("R-POST-02 only lib/client/edit-query.ts edits the URL, because it does not cancel a pending navigation", () => {
  const wrong = product.filter(
    ({ path, text }) =>
      path !== "lib/client/edit-query.ts" &&
      /^(app|components|lib)\//.test(path) &&
      /\bhistory(\.|\[)(push|replace|kind)/.test(text),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("R-SRV-03 users' files are stored by saveObject and saveFile, which refuse during an outage of the storage", () => {
  // Thumbnails are made again when they are missing.
  const own = ["lib/features/pins/storage-outages.ts", "lib/features/pins/images.ts"];
  const wrong = sources.filter(({ path, text }) => !own.includes(path) && /\bstorage\.put(File)?\(/.test(text));
  expect(wrong.map(({ path }) => path).filter((path) => path.startsWith("lib/features/"))).toEqual([]);
});

const nodesIn = (value: unknown): SyntaxNode[] => (Array.isArray(value) ? (value as SyntaxNode[]) : []);

const isMadeByAction = (node: SyntaxNode): boolean =>
  node.type !== "ExportNamedDeclaration" ||
  nodesIn((node.declaration as SyntaxNode | null)?.declarations).every((one) => {
    const init = one.init as SyntaxNode | null;
    return init?.type === "CallExpression" && /^(action|formAction)$/.test(String((init.callee as SyntaxNode).name));
  });

describe("a feature's modules", () => {
  const modules = sources.filter(({ path }) => featureOf(path) !== undefined && !isEngine(path));

  test("each feature is in the table", () => {
    const features = new Set(modules.map(({ path }) => featureOf(path) ?? ""));
    expect([...features].filter((feature) => !(feature in FEATURES))).toEqual([]);
  });

  test("the table of features has no cycle", () => {
    const reaches = (from: string, to: string): boolean =>
      (FEATURES[from] ?? []).some((next) => next === to || reaches(next, to));
    expect(Object.keys(FEATURES).filter((feature) => reaches(feature, feature))).toEqual([]);
  });

  test("a feature has at most twelve modules besides the usual ones: name them after concepts", () => {
    const usual = [...PUBLIC_MODULES, "queries", "serializers"];
    const concepts = modules.filter(({ path }) => !usual.includes(fileName(path)));
    const counts = Map.groupBy(concepts, ({ path }) => featureOf(path));
    expect([...counts].filter(([, files]) => files.length > 12).map(([feature]) => feature)).toEqual([]);
  });

  test("modules do not import each other in cycles", () => {
    const graph = new Map<string, Set<string>>();
    for (const { from, to, isOurs, typeOnly } of imports) {
      if (!isOurs || typeOnly || from.path.startsWith("tests/")) continue;
      graph.set(from.path, (graph.get(from.path) ?? new Set()).add(to));
    }
    expect(cyclesOf(graph)).toEqual([]);
  });

  test("component folders depend on each other one way", () => {
    const folderOf = (path: string) => /^components\/([^/]+)\//.exec(path)?.[1];
    const graph = new Map<string, Set<string>>();
    for (const { from, to, isOurs } of imports) {
      const [folder, other] = [folderOf(from.path), folderOf(to)];
      if (!isOurs || !folder || !other || folder === other) continue;
      graph.set(folder, (graph.get(folder) ?? new Set()).add(other));
    }
    expect(cyclesOf(graph)).toEqual([]);
  });

  test('all but the public modules start with import "server-only"', () => {
    const wrong = modules.filter(({ path, text }) => !isPublic(path) && !text.startsWith('import "server-only";'));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("every export of an actions.ts was made by action(...) or formAction(...)", () => {
    const wrong = modules.filter(
      ({ path, tree }) => fileName(path) === "actions" && !nodesIn(tree.body).every(isMadeByAction),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

test("docs/log-fields.md describes each field of a wide event as lib/core/log.ts does", () => {
  const document = readFileSync(inRepository("docs", "log-fields.md"), "utf8");
  const rows = [...document.matchAll(/^\| `([a-z_*]+)` \| (.+) \|$/gm)].map(([, name, text]) => [name, text]);
  expect(rows.filter(([name]) => name && name in WIDE_FIELDS)).toEqual(Object.entries(WIDE_FIELDS));
});

describe("limits", () => {
  const measured = product.flatMap((file) => functionsOf(file).map((one) => ({ ...one, path: file.path })));

  test("a file has at most 400 lines: split by meaning", () => {
    expect(sources.filter(({ lines }) => lines > 400).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
  });

  test("a function has at most 60 lines, a component's 120", () => {
    const wrong = measured.filter(({ lines, hasJsx }) => lines > (hasJsx ? 120 : 60));
    expect(wrong.map(({ path, line, lines }) => `${path}:${line} has ${lines} lines`)).toEqual([]);
  });

  test("control statements nest at most three deep", () => {
    const wrong = measured.filter(({ nesting }) => nesting > 3);
    expect(wrong.map(({ path, line, nesting }) => `${path}:${line} nests ${nesting} deep`)).toEqual([]);
  });

  test("no any, no non-null assertion", () => {
    const wrong = sources.flatMap((file) =>
      linesOf(file, ["TSAnyKeyword", "TSNonNullExpression"]).map((line) => `${file.path}:${line}`),
    );
    expect(wrong).toEqual([]);
  });

  test("no error is swallowed: handle, report, or rethrow it", () => {
    const isProduct = ({ path }: SourceFile) => LAYERS.some((layer) => path.startsWith(`${layer}/`));
    const wrong = sources.flatMap((file) =>
      linesWithSilentCatch(file, { withUndefined: isProduct(file) }).map((line) => `${file.path}:${line}`),
    );
    expect(wrong).toEqual([]);
  });

  test("names are specific: no utils, helpers or manager; files are kebab-case", () => {
    const wrong = sources.filter(({ path }) => {
      const name = fileName(path).replace(/\.(test|config|spec|d)$/, "");
      return /(^|-)(utils?|helpers?|manager)($|-)/.test(name) || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name);
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("functions are not called handleX or processX", () => {
    const wrong = product.filter(({ text }) => /\b(const|function) (handle|process)[A-Z]\w*/.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("a loading screen belongs to one page: move the page and its loading.tsx into a route group", () => {
    const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);
    const pages = sources.filter(({ path }) => path.endsWith("/page.tsx")).map(({ path }) => folderOf(path));
    const wrong = sources
      .filter(({ path }) => path.endsWith("/loading.tsx"))
      .filter(({ path }) => pages.some((page) => page !== folderOf(path) && page.startsWith(folderOf(path))));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

/** Words that docs/glossary.md has a term for. */
const REPLACED_NAMES = new Set(
  (
    "house houses room rooms floor floors verb verbs bell ear ears sieve slip slips needle needles desk quarters " +
    "condemn condemned retire retired astray twin twins crew borrower somebody nobody told tell tells asked asks " +
    "mend mended nap naps sighting sightings ruling rulings picture pictures mails"
  ).split(" "),
);

/** Words that do not belong in a text that people read. */
const REPLACED_TEXTS =
  /(?<![#/])\b(whoever|somebody|nobody|e-mails?|mails|colours?|catalogues?|cancelled|mended|astray)\b/i;

const fileWords = (path: string): string[] => path.split("/").flatMap(wordsOf);

test("names use the glossary's terms (docs/glossary.md): rename what is listed here", () => {
  const inFiles = sources.filter(({ path }) => fileWords(path).some((word) => REPLACED_NAMES.has(word)));
  const inCode = sources.flatMap((file) =>
    declaredNames(file)
      .filter(({ text }) => wordsOf(text).some((word) => REPLACED_NAMES.has(word)))
      .map(({ text, line }) => `${file.path}:${line} ${text}`),
  );
  expect([...inFiles.map(({ path }) => path), ...inCode]).toEqual([]);
});

test("texts that people read are written in plain American English (docs/copy.md)", () => {
  const shown = sources.filter(({ path }) => /^(app|components|lib)\//.test(path));
  const wrong = shown.flatMap((file) =>
    shownTexts(file)
      .filter(({ text }) => REPLACED_TEXTS.test(text))
      .map(({ text, line }) => `${file.path}:${line} ${text.trim()}`),
  );
  expect(wrong).toEqual([]);
});

test("every file that the glossary names exists", () => {
  const paths = [
    ...readFileSync(inRepository("docs", "glossary.md"), "utf8").matchAll(
      /`((?:lib|components|db|tests|inngest|sandbox)[\w/.-]*)`/g,
    ),
  ];
  const missing = paths.map(([, path = ""]) => path).filter((path) => !existsSync(inRepository(path)));
  expect(missing).toEqual([]);
});
