import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createFileStorage } from "#lib/integrations/storage/file.ts";
import { describeStorage } from "#tests/support/storage-contract.ts";

const base = mkdtempSync(join(tmpdir(), "storage-"));
afterAll(() => rmSync(base, { recursive: true }));
const newFolder = () => mkdtempSync(join(base, "x"));

describeStorage("file storage", async () => createFileStorage(join(newFolder(), "made", "when", "needed")));

test("a failed write leaves no temporary file and no partial object", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "pins"), "in the way");
  const storage = createFileStorage(folder);
  await expect(storage.put("pins/a.jpg", new Uint8Array([1]))).rejects.toThrow();
  expect(readdirSync(folder, { recursive: true }).map(String).toSorted()).toEqual([".incoming", "pins"]);
});
