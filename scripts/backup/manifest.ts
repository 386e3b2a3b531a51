import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { OperatorError } from "../operator.ts";

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

export const digestOf = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

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
