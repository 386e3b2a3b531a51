import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Returns a function that creates empty folders; they are deleted after the file's tests. */
export const freshFolders = (name: string): (() => string) => {
  const all = mkdtempSync(join(tmpdir(), `${name}-`));
  afterAll(() => rmSync(all, { recursive: true, force: true }));
  return () => mkdtempSync(join(all, "folder-"));
};
