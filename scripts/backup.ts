/** `npm run backup -- FOLDER`: a copy of database and pictures as they are at this moment (docs/guides/operations.md). */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, resolve } from "node:path";
import { dumpDatabase, readPictureKeys } from "#db/copy.ts";
import { openStorage } from "#lib/composition.ts";
import { copyOut, partsOf, writeManifest } from "./backup-files.ts";
import { OperatorError, operate } from "./operator.ts";

await operate("backup", async ({ databaseUrl, setting }) => {
  const [given] = process.argv.slice(2);
  if (!given) throw new OperatorError("Usage: npm run backup -- FOLDER", 2);
  const folder = resolve(process.env.INIT_CWD ?? process.cwd(), given);
  if (existsSync(folder)) throw new OperatorError(`${folder} exists already; a backup makes a folder of its own.`);
  const storage = openStorage(setting("STORAGE_URL"));
  const partial = `${folder}.partial`;
  // What an interrupted backup left behind, and nothing of anybody else's.
  const ours = Object.values(partsOf(partial)).map((part) => basename(part));
  if (existsSync(partial) && readdirSync(partial).some((name) => !ours.includes(name))) {
    throw new OperatorError(`${partial} holds something that no backup wrote: move it away first.`);
  }
  rmSync(partial, { recursive: true, force: true });
  for (const part of [partial, partsOf(partial).tables, partsOf(partial).pictures]) {
    mkdirSync(part, { recursive: true, mode: 0o700 });
  }
  const { dump, more: keys } = await dumpDatabase(databaseUrl, partsOf(partial).tables, readPictureKeys);
  const pictures = await copyOut(storage, keys, partial);
  writeManifest(partial, { format: 1, ...dump, pictures });
  renameSync(partial, folder);
  const rows = dump.tables.reduce((sum, table) => sum + table.rows, 0);
  const megabytes = (pictures.bytes / 1e6).toFixed(1);
  console.log(
    `${folder}: ${rows} rows of ${dump.tables.length} tables and ${pictures.count} pictures (${megabytes} MB), as of ${dump.takenAt}.`,
  );
  if (pictures.missing > 0) console.log(`${pictures.missing} pictures that rows name are not in the storage.`);
  console.log("ENCRYPTION_KEY and AUTH_SECRET are not in it: keep them, apart from it.");
});
