import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { createFileStorage } from "#lib/integrations/storage/file.ts";
import { assertStorageKey, type StoragePort } from "#lib/integrations/storage/port.ts";
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

/** Read as a stream, because a video can be larger than the memory. */
const digestOfFile = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
};

/** Copies images and videos from the storage, one at a time. Missing ones are counted. */
export const exportImages = async (
  storage: StoragePort,
  keys: readonly string[],
  folder: string,
): Promise<Manifest["images"]> => {
  const { images, imageList } = backupPaths(folder);
  const target = createFileStorage(images);
  const list = createWriteStream(imageList, { flags: "wx", mode: 0o600, flush: true });
  const totals = { count: 0, bytes: 0, missing: 0 };
  const draft = join(folder, ".draft");
  for (const key of keys) {
    const stored = await storage.open(key);
    if (!stored) {
      totals.missing += 1;
      continue;
    }
    await pipeline(stored.body, createWriteStream(draft, { mode: 0o600 }));
    await target.putFile(key, draft);
    totals.count += 1;
    totals.bytes += stored.bytes;
    list.write(`${JSON.stringify({ key, bytes: stored.bytes, sha256: await digestOfFile(draft) })}\n`);
  }
  rmSync(draft, { force: true });
  list.end();
  await once(list, "close");
  return { ...totals, sha256: digestOf(readFileSync(imageList)) };
};

async function* entriesOf(folder: string): AsyncGenerator<Entry> {
  const lines = createInterface({ input: createReadStream(backupPaths(folder).imageList), crlfDelay: Infinity });
  for await (const line of lines) yield entryShape.parse(JSON.parse(line));
}

/** Verifies every image and video of a backup, and gives each one's file. @throws OperatorError if one is damaged */
export const readImages = async (
  folder: string,
  { images }: Manifest,
  take: (key: string, path: string) => Promise<void>,
): Promise<void> => {
  const parts = backupPaths(folder);
  if (digestOf(readFileSync(parts.imageList)) !== images.sha256) {
    throw new OperatorError("The backup is damaged: images.jsonl does not match manifest.json.");
  }
  for await (const { key, sha256 } of entriesOf(folder)) {
    assertStorageKey(key);
    const path = join(parts.images, key);
    if (!existsSync(path) || (await digestOfFile(path)) !== sha256) {
      throw new OperatorError(`The backup is damaged: image ${key}.`);
    }
    await take(key, path);
  }
};
