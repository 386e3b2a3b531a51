import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { untar } from "#scripts/untar.ts";

const folder = mkdtempSync(join(tmpdir(), "untar-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function tarOf(path: string, text: string, type = "0"): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write(Buffer.byteLength(text).toString(8).padStart(11, "0"), 124);
  header.write(type, 156);
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
  body.write(text);
  return Buffer.concat([header, body, Buffer.alloc(1024)]);
}

test("untar writes files into their folders", async () => {
  await untar(tarOf("lib/a.txt", "hello"), folder);
  expect(readFileSync(join(folder, "lib/a.txt"), "utf8")).toBe("hello");
});

test("untar rejects an entry outside its folder", async () => {
  await expect(untar(tarOf("../a.txt", "x"), folder)).rejects.toThrow("is outside its folder");
});

test("untar rejects unsupported entries, such as links", async () => {
  await expect(untar(tarOf("a", "", "2"), folder)).rejects.toThrow("Unknown archive entry type 2");
});
