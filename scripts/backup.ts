/** `npm run backup -- FOLDER`: a consistent copy of the database and images (docs/guides/operations.md). */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, resolve } from "node:path";
import { dumpDatabase, readImageKeys } from "#db/copy.ts";
import { openStorage } from "#lib/composition.ts";
import { backupPaths, exportImages, writeManifest } from "./backup-files.ts";
import { OperatorError, operate } from "./operator.ts";

await operate("backup", async ({ databaseUrl, setting }) => {
  const [given] = process.argv.slice(2);
  if (!given) throw new OperatorError("Usage: npm run backup -- FOLDER", 2);
  const folder = resolve(process.env.INIT_CWD ?? process.cwd(), given);
  if (existsSync(folder)) throw new OperatorError(`${folder} already exists. Choose a new folder.`);
  const storage = openStorage(setting("STORAGE_URL"));
  const partial = `${folder}.partial`;
  // Delete what an interrupted backup left, but no other files.
  const ownParts = Object.values(backupPaths(partial)).map((part) => basename(part));
  if (existsSync(partial) && readdirSync(partial).some((name) => !ownParts.includes(name))) {
    throw new OperatorError(`${partial} contains files that are not from a backup. Move them first.`);
  }
  rmSync(partial, { recursive: true, force: true });
  for (const part of [partial, backupPaths(partial).tables, backupPaths(partial).images]) {
    mkdirSync(part, { recursive: true, mode: 0o700 });
  }
  const { dump, more: keys } = await dumpDatabase(databaseUrl, backupPaths(partial).tables, readImageKeys);
  const images = await exportImages(storage, keys, partial);
  writeManifest(partial, { format: 1, ...dump, images });
  renameSync(partial, folder);
  const rows = dump.tables.reduce((sum, table) => sum + table.rows, 0);
  const megabytes = (images.bytes / 1e6).toFixed(1);
  console.log(
    `${folder}: ${rows} rows in ${dump.tables.length} tables and ${images.count} images (${megabytes} MB), as of ${dump.takenAt}.`,
  );
  if (images.missing > 0) console.log(`${images.missing} images are in the database but missing from storage.`);
  console.log("The backup does not include ENCRYPTION_KEY and AUTH_SECRET. Store them separately.");
});
