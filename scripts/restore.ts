/** `npm run restore -- FOLDER`: fills an empty database, and the storage, from a backup (docs/guides/operations.md). */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Database } from "#db/client.ts";
import { isUntouched, LoadRefusal, loadDatabase, measureFile } from "#db/copy.ts";
import { migrateDatabase } from "#db/migrate.ts";
import { openStorage } from "#lib/composition.ts";
import type { Ctx } from "#lib/context.ts";
import { dropProgress } from "#lib/features/accounts/accounts.ts";
import { countUnreadable } from "#lib/features/accounts/queries.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { wakeTasks } from "#lib/features/generation/task-queue.ts";
import { endLogins } from "#lib/features/identity/sessions.ts";
import { markRestored } from "#lib/features/publishing/reconciliation.ts";
import { type Manifest, partsOf, readManifest, readPictures } from "./backup-files.ts";
import { OperatorError, operate } from "./operator.ts";

await operate("restore", async ({ ctx, databaseUrl, setting }) => {
  const [given] = process.argv.slice(2);
  if (!given) throw new OperatorError("Usage: npm run restore -- FOLDER", 2);
  const folder = resolve(process.env.INIT_CWD ?? process.cwd(), given);
  if (!existsSync(folder)) throw new OperatorError(`${folder} does not exist.`);
  const manifest = readManifest(folder);
  const storage = openStorage(setting("STORAGE_URL"));
  setting("ENCRYPTION_KEY");
  await demandWhole(folder, manifest);
  if (await isUntouched(databaseUrl)) await migrateDatabase(databaseUrl);
  // Pictures without rows do no harm, rows without pictures would.
  const putPictures = () => readPictures(folder, manifest, (key, bytes) => storage.put(key, bytes));
  let done: Done | undefined;
  await load(databaseUrl, folder, manifest, async (db) => {
    done = await makeSafe({ ...ctx, db }, manifest);
    await putPictures();
  });
  if (done) report(manifest, done);
  console.log("Restored. The original must not run any more.");
});

/** Every file of the backup against its digest, before anything is written. */
async function demandWhole(folder: string, manifest: Manifest): Promise<void> {
  for (const table of manifest.tables) {
    const found = await measureFile(partsOf(folder).tables, table).catch(() => undefined);
    if (found?.sha256 === table.sha256 && found.rows === table.rows) continue;
    throw new OperatorError(`The backup is damaged: the table ${table.name}.`);
  }
  await readPictures(folder, manifest, async () => {});
}

async function load(
  url: string,
  folder: string,
  manifest: Manifest,
  finish: (db: Database) => Promise<void>,
): Promise<void> {
  try {
    await loadDatabase(url, partsOf(folder).tables, manifest, finish);
  } catch (error) {
    if (error instanceof LoadRefusal) throw new OperatorError(error.message);
    throw error;
  }
}

type Done = { scheduled: number; tasks: number; logins: number };

/** The copy of a moment becomes one that may run: nothing is published twice, no ended login lives again. */
async function makeSafe(ctx: Ctx, { takenAt }: Manifest): Promise<Done> {
  const ledger = await checkLedger(ctx);
  if (ledger.faults.length > 0) throw new OperatorError(`The ledger of the backup is not sound: ${ledger.faults[0]}`);
  const unreadable = await countUnreadable(ctx);
  if (unreadable > 0) {
    throw new OperatorError(
      `The tokens of ${unreadable} accounts are under a key that ENCRYPTION_KEY does not hold: set it as it was. Nothing was restored.`,
    );
  }
  const { scheduled } = await markRestored(ctx, { takenAt: new Date(takenAt) });
  await dropProgress(ctx);
  return { scheduled, tasks: await wakeTasks(ctx), logins: await endLogins(ctx) };
}

function report(manifest: Manifest, { scheduled, tasks, logins }: Done): void {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(
    `${rows} rows of ${manifest.tables.length} tables and ${manifest.pictures.count} pictures, as of ${manifest.takenAt}.`,
  );
  console.log(`${scheduled} pins were scheduled then: each is looked for on its board before it is sent.`);
  console.log(`${tasks} pins were being made then and are taken up again; ${logins} logins ended.`);
  console.log("What happened later is not in it: drafts that were published since are drafts again, see the guide.");
}
