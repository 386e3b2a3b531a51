import { once } from "node:events";
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import { createFileStorage } from "#lib/integrations/storage/file.ts";
import type { StoragePort } from "#lib/integrations/storage/port.ts";
import { OperatorError } from "../operator.ts";
import { digestOf, type Manifest, partsOf } from "./manifest.ts";

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
