import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { createFileStorage } from "#lib/integrations/storage/file.ts";
import type { StoragePort } from "#lib/integrations/storage/port.ts";
import { OperatorError } from "./operator.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);

/** `manifest.json` of a backup: its contents, and the digests to verify them. */
const manifestShape = z.object({
  format: z.literal(1),
  takenAt: z.iso.datetime(),
  schema: z.object({ migrations: z.number().int(), newest: z.string() }),
  tables: z.array(z.object({ name, columns: z.array(name), key: z.array(name), rows: z.number().int(), sha256 })),
  sequences: z.array(z.object({ name, lastValue: z.string().regex(/^\d+$/) })),
  /**
   * `sha256` is that of `images.jsonl`, which lists the digest of each image. `missing`: images in the database but
   * not in storage.
   */
  images: z.object({ count: z.number().int(), bytes: z.number().int(), missing: z.number().int(), sha256 }),
});

export type Manifest = z.output<typeof manifestShape>;

/** The paths inside a backup. */
export const backupPaths = (folder: string) => ({
  manifest: join(folder, "manifest.json"),
  tables: join(folder, "tables"),
  images: join(folder, "images"),
  imageList: join(folder, "images.jsonl"),
});

const digestOf = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

/** Written last: a folder without a manifest is not a complete backup. */
export const writeManifest = (folder: string, manifest: Manifest): void =>
  writeFileSync(backupPaths(folder).manifest, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });

/** @throws OperatorError if the folder is not a backup that this version can read */
export const readManifest = (folder: string): Manifest => {
  const file = backupPaths(folder).manifest;
  if (!existsSync(file)) throw new OperatorError(`${folder} is not a backup: it has no manifest.json.`);
  const parsed = manifestShape.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (parsed.success) return parsed.data;
  throw new OperatorError(`This version can't read the manifest.json in ${folder}.`);
};

const entryShape = z.object({ key: z.string(), bytes: z.number().int(), sha256: z.string() });
type Entry = z.output<typeof entryShape>;

/** Copies images from the storage, one at a time. Missing ones are counted. */
export const exportImages = async (
  storage: StoragePort,
  keys: readonly string[],
  folder: string,
): Promise<Manifest["images"]> => {
  const { images, imageList } = backupPaths(folder);
  const target = createFileStorage(images);
  const list = createWriteStream(imageList, { flags: "wx", mode: 0o600, flush: true });
  const totals = { count: 0, bytes: 0, missing: 0 };
  for (const key of keys) {
    const bytes = await storage.get(key);
    if (!bytes) {
      totals.missing += 1;
      continue;
    }
    await target.put(key, bytes);
    totals.count += 1;
    totals.bytes += bytes.byteLength;
    list.write(`${JSON.stringify({ key, bytes: bytes.byteLength, sha256: digestOf(bytes) })}\n`);
  }
  list.end();
  await once(list, "close");
  return { ...totals, sha256: digestOf(readFileSync(imageList)) };
};

async function* entriesOf(folder: string): AsyncGenerator<Entry> {
  const lines = createInterface({ input: createReadStream(backupPaths(folder).imageList), crlfDelay: Infinity });
  for await (const line of lines) yield entryShape.parse(JSON.parse(line));
}

/** Reads and verifies every image of a backup. @throws OperatorError if one is damaged */
export const readImages = async (
  folder: string,
  { images }: Manifest,
  take: (key: string, bytes: Uint8Array) => Promise<void>,
): Promise<void> => {
  const parts = backupPaths(folder);
  if (digestOf(readFileSync(parts.imageList)) !== images.sha256) {
    throw new OperatorError("The backup is damaged: images.jsonl does not match manifest.json.");
  }
  const source = createFileStorage(parts.images);
  for await (const { key, sha256 } of entriesOf(folder)) {
    const bytes = await source.get(key);
    if (!bytes || digestOf(bytes) !== sha256) throw new OperatorError(`The backup is damaged: image ${key}.`);
    await take(key, bytes);
  }
};
