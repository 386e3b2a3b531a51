import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { strToU8, type Zippable, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { isImageName, openZip, readZipFile, type ZipLimits, ZipRefusal } from "#lib/features/spreadsheets/zip-files.ts";

const LIMITS: ZipLimits = {
  entriesMax: 50,
  filesMax: 3,
  fileBytesMax: 32_000_000,
  totalBytesMax: 1_000_000_000,
  isWanted: isImageName,
};

const zipOf = (sizes: Record<string, number>): Buffer =>
  Buffer.from(
    zipSync(Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, randomBytes(size)])) as Zippable),
  );

/** The names of the files, or the problem. */
const opened = async (zip: Buffer, limits: Partial<ZipLimits> = {}): Promise<string[] | string> => {
  try {
    const { files, close } = await openZip(zip, { ...LIMITS, ...limits });
    close();
    return files.map(({ fileName }) => fileName);
  } catch (error) {
    if (error instanceof ZipRefusal) return error.problem;
    throw error;
  }
};

const named = (count: number, nameOf: (at: number) => string): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [nameOf(at), 10]));

/** The same file, listed several times with one declared size. */
const listedTimes = (zip: Buffer, count: number, declaredBytes: number): Buffer => {
  const [from, end] = [zip.indexOf("PK\x01\x02"), zip.indexOf("PK\x05\x06")];
  const [entry, last] = [Buffer.from(zip.subarray(from, end)), Buffer.from(zip.subarray(end))];
  entry.writeUInt32LE(declaredBytes, 24);
  last.writeUInt16LE(count, 8);
  last.writeUInt16LE(count, 10);
  last.writeUInt32LE(entry.byteLength * count, 12);
  return Buffer.concat([zip.subarray(0, from), ...Array.from({ length: count }, () => entry), last]);
};

describe("a ZIP file of images", () => {
  test("counts images only, and has a looser limit for everything in it", async () => {
    const images = named(3, (at) => `moss ${at}.jpg`);
    const others = { ...named(30, (at) => `__MACOSX/._moss ${at}.jpg`), "notes.txt": 10, "photos/": 0 };
    expect(await opened(zipOf({ ...images, ...others }))).toEqual(Object.keys(images));
    expect(await opened(zipOf(named(4, (at) => `moss ${at}.jpg`)))).toBe("too_many_files");
    expect(await opened(zipOf(named(51, (at) => `notes ${at}.txt`)))).toBe("too_many_entries");
  });

  test("limits the size of each image and of all together, not of what is left out", async () => {
    const zip = zipOf({ "moss.jpg": 600, "fern.jpg": 600, "notes.txt": 5_000 });
    expect(await opened(zip, { fileBytesMax: 600, totalBytesMax: 1_200 })).toHaveLength(2);
    expect(await opened(zip, { fileBytesMax: 599 })).toBe("file_too_large");
    expect(await opened(zip, { totalBytesMax: 1_199 })).toBe("bomb");
  });

  test("is refused with a password", async () => {
    const zip = zipOf({ "moss.jpg": 600 });
    const flags = zip.indexOf("PK\x01\x02") + 8;
    zip.writeUInt16LE(zip.readUInt16LE(flags) | 1, flags);
    expect(await opened(zip)).toBe("encrypted");
  });

  test("is refused when its parts overlap and would inflate to far more than the file has", async () => {
    const zip = zipOf({ "moss.jpg": 100_000 });
    expect(await opened(listedTimes(zip, 20, 10_000_000), { filesMax: 50 })).toHaveLength(20);
    expect(await opened(listedTimes(zip, 21, 10_000_000), { filesMax: 50 })).toBe("bomb");
  });

  test("2,000 damaged files open or are refused, and give no more than they declare", async () => {
    const contents = { "moss.jpg": "moss ".repeat(80), "fern/fern.png": "fern ".repeat(60), "notes.txt": "notes" };
    const parts = Object.entries(contents).map(([name, text]) => [name, strToU8(text)]);
    const zip = Buffer.from(zipSync(Object.fromEntries(parts), { mtime: "2026-11-29" }));
    const change = fc.record({ at: fc.nat(zip.byteLength - 1), to: fc.nat(255) });
    const damage = fc.record({ changes: fc.array(change, { maxLength: 6 }), cut: fc.nat(zip.byteLength) });
    let refused = 0;
    const check = fc.asyncProperty(damage, fc.boolean(), async ({ changes, cut }, isCut) => {
      const damaged = Buffer.from(isCut ? zip.subarray(0, cut) : zip);
      for (const { at, to } of changes) if (at < damaged.byteLength) damaged[at] = to;
      try {
        const opened = await openZip(damaged, LIMITS);
        for (const entry of opened.files) {
          expect((await readZipFile(opened, entry)).byteLength).toBe(entry.uncompressedSize);
        }
        opened.close();
      } catch (error) {
        expect(error).toBeInstanceOf(ZipRefusal);
        refused += 1;
      }
    });
    await fc.assert(check, { numRuns: 2_000, seed: 7 });
    expect(refused).toBeGreaterThan(500);
  });
});
