import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { StoragePort } from "#lib/integrations/storage/port.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Tests for every implementation of the storage port. `open` returns an empty storage. */
export const describeStorage = (name: string, open: () => Promise<StoragePort>): void => {
  describe(`${name} fulfills the storage contract`, () => {
    test("returns what was written, byte for byte", async () => {
      const storage = await open();
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
      await storage.put("pins/abc.jpg", bytes);
      expect(await storage.get("pins/abc.jpg")).toEqual(bytes);
    });

    test("a file of this machine is stored and read as a stream, whole or in part", async () => {
      const storage = await open();
      const path = join(mkdtempSync(join(tmpdir(), "stored-file-")), "video.mp4");
      const bytes = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251));
      writeFileSync(path, bytes);
      await storage.putFile("videos/a.mp4", path);
      const whole = await storage.open("videos/a.mp4");
      expect(whole?.bytes).toBe(300_000);
      expect(Buffer.compare(await buffer(whole?.body ?? Readable.from([])), bytes)).toBe(0);
      const part = await storage.open("videos/a.mp4", { start: 70_000, end: 80_001 });
      expect(part?.bytes).toBe(300_000);
      expect(Buffer.compare(await buffer(part?.body ?? Readable.from([])), bytes.subarray(70_000, 80_002))).toBe(0);
      expect(await storage.open("videos/none.mp4")).toBeNull();
    });

    test("a missing object is null", async () => {
      const storage = await open();
      expect(await storage.get("pins/none.jpg")).toBeNull();
    });

    test("`has` is true from the write until the deletion", async () => {
      const storage = await open();
      await storage.put("pins/a.jpg", bytesOf("a"));
      expect([await storage.has("pins/a.jpg"), await storage.has("pins/none.jpg")]).toEqual([true, false]);
      expect(await storage.has("pins")).toBe(false);
      await storage.delete("pins/a.jpg");
      expect(await storage.has("pins/a.jpg")).toBe(false);
    });

    test("writing a key again replaces the whole object", async () => {
      const storage = await open();
      await storage.put("pins/a.jpg", bytesOf("a longer first text"));
      await storage.put("pins/a.jpg", bytesOf("short"));
      expect(await storage.get("pins/a.jpg")).toEqual(bytesOf("short"));
    });

    test("a concurrent reader never sees a partial object", async () => {
      const storage = await open();
      const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(200_000));
      await storage.put("pins/a.jpg", bytesOf(texts[0] ?? ""));
      const writes = texts.map((text) => storage.put("pins/a.jpg", bytesOf(text)));
      const reads = await Promise.all(Array.from({ length: 20 }, () => storage.get("pins/a.jpg")));
      await Promise.all(writes);
      expect(
        reads.map((bytes) => new TextDecoder().decode(bytes ?? undefined)).filter((t) => !texts.includes(t)),
      ).toEqual([]);
    });

    test("deletes an object; deleting a missing one is harmless", async () => {
      const storage = await open();
      await storage.put("pins/a.jpg", bytesOf("a"));
      await storage.delete("pins/a.jpg");
      await storage.delete("pins/a.jpg");
      expect(await storage.get("pins/a.jpg")).toBeNull();
    });

    test("the largest image is returned whole, and concurrent writes stay separate", async () => {
      const storage = await open();
      const large = new Uint8Array(10_000_000).map((_, index) => (index * 31) % 251);
      await storage.put("pins/large.jpg", large);
      expect(Buffer.compare(Buffer.from((await storage.get("pins/large.jpg")) ?? []), Buffer.from(large))).toBe(0);
      const some = Array.from({ length: 30 }, (_, n) => ({ key: `pins/${n}.jpg`, bytes: bytesOf(`image ${n}`) }));
      await Promise.all(some.map(({ key, bytes }) => storage.put(key, bytes)));
      await Promise.all(some.slice(0, 15).map(({ key }) => storage.delete(key)));
      const left = await Promise.all(some.map(({ key }) => storage.get(key)));
      expect(left).toEqual(some.map(({ bytes }, n) => (n < 15 ? null : bytes)));
    });

    test("the longest key is accepted", async () => {
      const storage = await open();
      const key = `pins/${"a".repeat(195)}`;
      await storage.put(key, bytesOf("x"));
      expect(await storage.get(key)).toEqual(bytesOf("x"));
      await expect(storage.put(`${key}a`, bytesOf("x"))).rejects.toThrow("Not a storage key");
    });

    const keys = [
      "../a",
      "pins/../../a",
      "/etc/passwd",
      "pins//a",
      "pins/",
      "",
      ".hidden",
      "pins/.a",
      "PINS/a",
      "a\0",
      "a\\b",
    ];
    test.each(keys)("an invalid key is rejected: %j", async (key) => {
      const storage = await open();
      await expect(storage.put(key, bytesOf("x"))).rejects.toThrow("Not a storage key");
      await expect(storage.get(key)).rejects.toThrow("Not a storage key");
      await expect(storage.has(key)).rejects.toThrow("Not a storage key");
      await expect(storage.delete(key)).rejects.toThrow("Not a storage key");
    });
  });
};
