import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** How to make empty folders, which go when all tests of the file that asks are done. */
export const freshFolders = (name: string): (() => string) => {
  const all = mkdtempSync(join(tmpdir(), `${name}-`));
  afterAll(() => rmSync(all, { recursive: true, force: true }));
  return () => mkdtempSync(join(all, "one-"));
};
