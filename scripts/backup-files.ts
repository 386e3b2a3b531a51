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

/** `manifest.json` of a backup: what it holds and how to know that it is whole. */
const manifestShape = z.object({
  format: z.literal(1),
  takenAt: z.iso.datetime(),
  schema: z.object({ migrations: z.number().int(), newest: z.string() }),
  tables: z.array(z.object({ name, columns: z.array(name), key: z.array(name), rows: z.number().int(), sha256 })),
  sequences: z.array(z.object({ name, lastValue: z.string().regex(/^\d+$/) })),
  /** `sha256`: of `pictures.jsonl`, which holds the digest of each. `missing`: named by a row, not in the storage. */
  pictures: z.object({ count: z.number().int(), bytes: z.number().int(), missing: z.number().int(), sha256 }),
});

export type Manifest = z.output<typeof manifestShape>;

/** Parts of a backup's folder. */
export const partsOf = (folder: string) => ({
  manifest: join(folder, "manifest.json"),
  tables: join(folder, "tables"),
  pictures: join(folder, "pictures"),
  pictureList: join(folder, "pictures.jsonl"),
});

const digestOf = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

/** Written last: a folder without it is no backup. */
export const writeManifest = (folder: string, manifest: Manifest): void =>
  writeFileSync(partsOf(folder).manifest, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });

/** @throws OperatorError when the folder is no backup that this version can read */
export const readManifest = (folder: string): Manifest => {
  const file = partsOf(folder).manifest;
  if (!existsSync(file)) throw new OperatorError(`${folder} is no backup: it has no manifest.json.`);
  const parsed = manifestShape.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (parsed.success) return parsed.data;
  throw new OperatorError(`The manifest.json in ${folder} is not one that this version can read.`);
};

const entryShape = z.object({ key: z.string(), bytes: z.number().int(), sha256: z.string() });
type Entry = z.output<typeof entryShape>;

/** Copies these pictures out of the storage, one at a time; one that is gone is counted, not an error. */
export const copyOut = async (
  storage: StoragePort,
  keys: readonly string[],
  folder: string,
): Promise<Manifest["pictures"]> => {
  const { pictures, pictureList } = partsOf(folder);
  const target = createFileStorage(pictures);
  const list = createWriteStream(pictureList, { flags: "wx", mode: 0o600, flush: true });
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
  return { ...totals, sha256: digestOf(readFileSync(pictureList)) };
};

async function* entriesOf(folder: string): AsyncGenerator<Entry> {
  const lines = createInterface({ input: createReadStream(partsOf(folder).pictureList), crlfDelay: Infinity });
  for await (const line of lines) yield entryShape.parse(JSON.parse(line));
}

/** Reads every picture of a backup and hands it on when it is what the list says. @throws OperatorError else */
export const readPictures = async (
  folder: string,
  { pictures }: Manifest,
  take: (key: string, bytes: Uint8Array) => Promise<void>,
): Promise<void> => {
  const parts = partsOf(folder);
  if (digestOf(readFileSync(parts.pictureList)) !== pictures.sha256) {
    throw new OperatorError("The backup is damaged: pictures.jsonl is not what manifest.json says.");
  }
  const source = createFileStorage(parts.pictures);
  for await (const { key, sha256 } of entriesOf(folder)) {
    const bytes = await source.get(key);
    if (!bytes || digestOf(bytes) !== sha256) throw new OperatorError(`The backup is damaged: the picture ${key}.`);
    await take(key, bytes);
  }
};
