import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeEmptyMaps } from "#scripts/build-output.ts";

test("a source map without sources is removed from the public files; one with sources stays", () => {
  const folder = mkdtempSync(join(tmpdir(), "maps-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const chunks = join(folder, "static", "chunks");
  mkdirSync(chunks, { recursive: true });
  writeFileSync(join(chunks, "worker.js.map"), JSON.stringify({ version: 3, sources: [], sections: [] }));
  writeFileSync(join(chunks, "page.js.map"), JSON.stringify({ version: 3, sources: ["page.tsx"], mappings: "AAAA" }));
  const part = { offset: { line: 0, column: 0 }, map: { version: 3, sources: ["form.tsx"], mappings: "AAAA" } };
  writeFileSync(join(chunks, "form.js.map"), JSON.stringify({ version: 3, sources: [], sections: [part] }));
  expect(removeEmptyMaps(folder)).toEqual([join(chunks, "worker.js.map")]);
  expect(readdirSync(chunks).sort()).toEqual(["form.js.map", "page.js.map"]);
});
