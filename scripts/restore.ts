/** `npm run restore -- FOLDER`: fills an empty database and the storage from a backup (docs/guides/operations.md). */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Database } from "#db/client.ts";
import { isUntouched, LoadError, loadDatabase, measureFile } from "#db/copy.ts";
import { migrateDatabase } from "#db/migrate.ts";
import { openStorage } from "#lib/composition.ts";
import type { Ctx } from "#lib/context.ts";
import { discardPendingConnections } from "#lib/features/accounts/accounts.ts";
import { countUnreadable } from "#lib/features/accounts/queries.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { requeueTasks } from "#lib/features/generation/task-queue.ts";
import { endAllLogins } from "#lib/features/identity/sessions.ts";
import { markRestored } from "#lib/features/publishing/reconciliation.ts";
import { backupPaths, type Manifest, readImages, readManifest } from "./backup-files.ts";
import { OperatorError, operate } from "./operator.ts";

await operate("restore", async ({ ctx, databaseUrl, setting }) => {
  const [given] = process.argv.slice(2);
  if (!given) throw new OperatorError("Usage: npm run restore -- FOLDER", 2);
  const folder = resolve(process.env.INIT_CWD ?? process.cwd(), given);
  if (!existsSync(folder)) throw new OperatorError(`${folder} does not exist.`);
  const manifest = readManifest(folder);
  const storage = openStorage(setting("STORAGE_URL"));
  setting("ENCRYPTION_KEY");
  await verifyBackup(folder, manifest);
  if (await isUntouched(databaseUrl)) await migrateDatabase(databaseUrl);
  // Images without rows do no harm, but rows without images would.
  const putImages = () => readImages(folder, manifest, (key, path) => storage.putFile(key, path));
  let done: Done | undefined;
  await load(databaseUrl, folder, manifest, async (db) => {
    done = await prepareRestored({ ...ctx, db }, manifest);
    await putImages();
  });
  if (done) report(manifest, done);
  console.log("Restored. Don't start the original again.");
});

/** Verifies every file of the backup before anything is written. */
async function verifyBackup(folder: string, manifest: Manifest): Promise<void> {
  for (const table of manifest.tables) {
    const found = await measureFile(backupPaths(folder).tables, table).catch(() => undefined);
    if (found?.sha256 === table.sha256 && found.rows === table.rows) continue;
    throw new OperatorError(`The backup is damaged: table ${table.name}.`);
  }
  await readImages(folder, manifest, async () => {});
}

async function load(
  url: string,
  folder: string,
  manifest: Manifest,
  finish: (db: Database) => Promise<void>,
): Promise<void> {
  try {
    await loadDatabase(url, backupPaths(folder).tables, manifest, finish);
  } catch (error) {
    if (error instanceof LoadError) throw new OperatorError(error.message);
    throw error;
  }
}

type Done = { scheduled: number; tasks: number; logins: number };

/** Makes the copy safe to run: nothing is published twice, and no ended login works again. */
async function prepareRestored(ctx: Ctx, { takenAt }: Manifest): Promise<Done> {
  const ledger = await checkLedger(ctx);
  if (ledger.faults.length > 0) throw new OperatorError(`The backup's ledger is inconsistent: ${ledger.faults[0]}`);
  const unreadable = await countUnreadable(ctx);
  if (unreadable > 0) {
    throw new OperatorError(
      `The tokens of ${unreadable} accounts were encrypted with a key that is not in ENCRYPTION_KEY. Set it to its previous value. Nothing was restored.`,
    );
  }
  const { scheduled } = await markRestored(ctx, { takenAt: new Date(takenAt) });
  await discardPendingConnections(ctx);
  return { scheduled, tasks: await requeueTasks(ctx), logins: await endAllLogins(ctx) };
}

function report(manifest: Manifest, { scheduled, tasks, logins }: Done): void {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(
    `${rows} rows in ${manifest.tables.length} tables and ${manifest.images.count} images, as of ${manifest.takenAt}.`,
  );
  console.log(`${scheduled} pins were scheduled. Their boards are checked before any are published.`);
  console.log(`Generation of ${tasks} pins is resuming. ${logins} logins were ended.`);
  console.log("Later changes are not included: drafts published since the backup are drafts again. See the guide.");
}
