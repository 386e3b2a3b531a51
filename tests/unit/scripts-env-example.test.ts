import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inRepository } from "#scripts/root.ts";

const example = readFileSync(inRepository(".env.example"), "utf8");
const documented = [...example.matchAll(/^#([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name);

test("each setting the server reads is documented once in .env.example", () => {
  const source = readFileSync(inRepository("lib", "env.ts"), "utf8");
  const read = [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]*):/gm)].map(([, name]) => name);
  const own = ["PORT", "HOST", "CHROMIUM_PATH"];
  const refused = ["INNGEST_DEV"];
  expect(read.length).toBeGreaterThan(20);
  expect([...documented].sort()).toEqual([...read.filter((name) => !refused.includes(name ?? "")), ...own].sort());
});
