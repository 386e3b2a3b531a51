import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WIDE_FIELDS } from "#lib/core/wide-fields.ts";
import { inRepository } from "#scripts/root.ts";
import { readSources, type SourceFile, type SyntaxNode } from "#tests/support/source/files.ts";
import { ROOMS, VENDORS } from "#tests/support/source/house.ts";
import { type Import, importsOf } from "#tests/support/source/imports.ts";
import { functionsOf, linesOf, silencesOf } from "#tests/support/source/measures.ts";

const sources = readSources();
const imports = sources.flatMap(importsOf);
const product = sources.filter(({ path }) => !path.startsWith("tests/"));
const FLOORS = ["app", "components", "lib", "db", "inngest"];
const WINDOWS = ["schema", "wire", "constants", "policy", "actions"];
const roomOf = (path: string): string | undefined => /^lib\/features\/([^/]+)\//.exec(path)?.[1];
const fileName = (path: string): string => /([^/]+)\.tsx?$/.exec(path)?.[1] ?? path;
const isWindow = (path: string): boolean => WINDOWS.includes(fileName(path));
const isEngine = (path: string): boolean => /^lib\/features\/[^/]+\/engine\//.test(path);
const say = ({ from, to }: Import): string => `${from.path} → ${to}`;

/** Floors a file may import at run time, by its own place (rule 1). Types may come from anywhere below. */
const mayImport = ({ from, to }: Import): boolean => {
  const path = from.path;
  if (path.startsWith("app/")) return /^(app|components|lib|inngest)\//.test(to);
  if (path.startsWith("components/")) {
    return (
      /^(components|lib\/client|lib\/core)\//.test(to) || isEngine(to) || (roomOf(to) !== undefined && isWindow(to))
    );
  }
  if (path.startsWith("lib/core/")) return to.startsWith("lib/core/");
  if (path.startsWith("lib/client/")) {
    return /^lib\/(client|core)\//.test(to) || (roomOf(to) !== undefined && isWindow(to));
  }
  if (path.startsWith("lib/integrations/")) return /^lib\/(core\/|integrations\/|context\.ts)/.test(to);
  if (path.startsWith("lib/features/")) {
    return (
      /^(lib\/(features|core)\/|lib\/context\.ts|db\/)/.test(to) || (isWindow(path) && to === "lib/server/action.ts")
    );
  }
  if (path.startsWith("lib/server/")) return /^lib\/(server|core|features|composition|context|env)/.test(to);
  if (path.startsWith("lib/")) return /^(lib|db)\//.test(to);
  if (path.startsWith("db/")) return to.startsWith("db/");
  if (path.startsWith("inngest/")) return /^(inngest|lib\/(features|composition|core|integrations\/jobs))/.test(to);
  if (path.startsWith("sandbox/")) return to.startsWith("sandbox/");
  return true;
};

describe("floors and rooms", () => {
  test("arrows point one way: move the code to the room that the arrow allows", () => {
    expect(imports.filter((one) => one.isOurs && !one.typeOnly && !mayImport(one)).map(say)).toEqual([]);
  });

  test("nothing imports app; lib never imports components, not even a type", () => {
    const wrong = imports.filter(
      ({ from, to, isOurs }) =>
        isOurs &&
        ((to.startsWith("app/") && !from.path.startsWith("app/")) ||
          (from.path.startsWith("lib/") && to.startsWith("components/"))),
    );
    expect(wrong.map(say)).toEqual([]);
  });

  test("only lib/features, lib/context.ts and lib/composition.ts know the database", () => {
    const wrong = imports.filter(
      ({ from, to, isOurs }) =>
        isOurs &&
        to.startsWith("db/") &&
        FLOORS.some((floor) => from.path.startsWith(`${floor}/`)) &&
        !/^(db\/|lib\/features\/|lib\/context\.ts|lib\/composition\.ts)/.test(from.path),
    );
    expect(wrong.map(say)).toEqual([]);
  });

  test("the stand-ins and the product know nothing of each other", () => {
    const wrong = imports.filter(({ from, to, isOurs }) => {
      const inSandbox = from.path.startsWith("sandbox/");
      const inProduct = FLOORS.some((floor) => from.path.startsWith(`${floor}/`));
      return isOurs && ((inProduct && to.startsWith("sandbox/")) || (inSandbox && !to.startsWith("sandbox/")));
    });
    expect(wrong.map(say)).toEqual([]);
  });

  test("a room sees a port's type only: the instance comes through ctx", () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        from.path.startsWith("lib/features/") && to.startsWith("lib/integrations/") && !typeOnly,
    );
    expect(wrong.map(say)).toEqual([]);
  });

  test("rooms lean on each other without cycles, as the table above says", () => {
    const wrong = imports.filter(({ from, to }) => {
      const [room, other] = [roomOf(from.path), roomOf(to)];
      return room !== undefined && other !== undefined && room !== other && !ROOMS[room]?.includes(other);
    });
    expect(wrong.map(say)).toEqual([]);
  });

  test("an engine is pure: it sees itself, its room's constants and policy, the kernel and its vendors only", () => {
    const wrong = imports.filter(({ from, to, isOurs }) => {
      const room = isEngine(from.path) ? roomOf(from.path) : undefined;
      if (room === undefined) return false;
      if (!isOurs) return !VENDORS[to]?.some((folder) => from.path.startsWith(folder));
      const seen = new RegExp(`^lib/(core/|features/${room}/(engine/|(constants|policy)\\.ts))`);
      return !seen.test(to);
    });
    expect(wrong.map(say)).toEqual([]);
  });

  test("vendor packages stay in their folder", () => {
    const wrong = imports.filter(
      ({ from, to, isOurs }) =>
        !isOurs &&
        !from.path.startsWith("tests/") &&
        VENDORS[to] &&
        !VENDORS[to].some((folder) => from.path.startsWith(folder)),
    );
    expect(wrong.map(say)).toEqual([]);
  });

  test("lib/env.ts is the only reader of process.env on the product's floors", () => {
    const wrong = product.filter(
      ({ path, text }) =>
        path !== "lib/env.ts" && FLOORS.some((floor) => path.startsWith(`${floor}/`)) && /process\.env/.test(text),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

test("R-POST-02 only lib/client/edit-query.ts edits the shown address: it calls off no navigation under way", () => {
  const wrong = product.filter(
    ({ path, text }) =>
      path !== "lib/client/edit-query.ts" &&
      /^(app|components|lib)\//.test(path) &&
      /\bhistory(\.|\[)(push|replace|kind)/.test(text),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

const nodesIn = (value: unknown): SyntaxNode[] => (Array.isArray(value) ? (value as SyntaxNode[]) : []);

const exportedFunctions = (file: SourceFile): number =>
  nodesIn(file.tree.body).filter((node) => {
    const declaration = node.type === "ExportNamedDeclaration" ? (node.declaration as SyntaxNode | null) : null;
    return declaration?.type === "VariableDeclaration" || declaration?.type === "FunctionDeclaration";
  }).length;

const isMadeByAction = (node: SyntaxNode): boolean =>
  node.type !== "ExportNamedDeclaration" ||
  nodesIn((node.declaration as SyntaxNode | null)?.declarations).every((one) => {
    const init = one.init as SyntaxNode | null;
    return init?.type === "CallExpression" && (init.callee as SyntaxNode).name === "action";
  });

describe("a room's vocabulary", () => {
  const rooms = sources.filter(({ path }) => roomOf(path) !== undefined && !isEngine(path));
  const known = new Set([...WINDOWS, "queries", "present"]);

  test("each room stands in the table", () => {
    expect([...new Set(rooms.map(({ path }) => roomOf(path)))].filter((room) => !room || !(room in ROOMS))).toEqual([]);
  });

  test("a file is one of the seven words or a verb with its noun", () => {
    const wrong = rooms.filter(({ path }) => {
      const name = fileName(path);
      return !known.has(name) && !/^[a-z]+(-[a-z]+)+$/.test(name);
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("a verb's file exports one function", () => {
    const wrong = rooms.filter((file) => !known.has(fileName(file.path)) && exportedFunctions(file) !== 1);
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test('all but the windows begin with import "server-only"', () => {
    const wrong = rooms.filter(({ path, text }) => !isWindow(path) && !text.startsWith('import "server-only";'));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("every export of an actions.ts was made by action(...)", () => {
    const wrong = rooms.filter(
      ({ path, tree }) => fileName(path) === "actions" && !nodesIn(tree.body).every(isMadeByAction),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

test("the operators' guide explains each field of a wide event, in the words of lib/core/wide-fields.ts", () => {
  const guide = readFileSync(inRepository("docs", "guides", "operations.md"), "utf8");
  const rows = [...guide.matchAll(/^\| `([a-z_*]+)` \| (.+) \|$/gm)].map(([, name, text]) => [name, text]);
  expect(rows.filter(([name]) => name && name in WIDE_FIELDS)).toEqual(Object.entries(WIDE_FIELDS));
});

describe("ceilings", () => {
  const measured = product.flatMap((file) => functionsOf(file).map((one) => ({ ...one, path: file.path })));

  test("a file has at most 250 lines: split by meaning", () => {
    expect(sources.filter(({ lines }) => lines > 250).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
  });

  test("a function has at most 50 lines, a component's 120", () => {
    const wrong = measured.filter(({ lines, hasJsx }) => lines > (hasJsx ? 120 : 50));
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

  test("no error is swallowed: in a catch say what it means, report it, or throw on what is not the one error you expect", () => {
    const isFloor = ({ path }: SourceFile) => FLOORS.some((floor) => path.startsWith(`${floor}/`));
    const wrong = sources.flatMap((file) =>
      silencesOf(file, { withUndefined: isFloor(file) }).map((line) => `${file.path}:${line}`),
    );
    expect(wrong).toEqual([]);
  });

  test("names say what: no utils, helpers or manager; files are kebab-case", () => {
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
});
