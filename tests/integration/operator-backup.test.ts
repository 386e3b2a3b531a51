import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LoadError, loadDatabase } from "#db/copy.ts";
import * as schema from "#db/schema/index.ts";
import { rateLimits } from "#db/schema/limits.ts";
import { createSealer } from "#lib/core/crypto.ts";
import { HOUR_MS } from "#lib/core/time.ts";
import { countUnreadable } from "#lib/features/accounts/queries.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { TEXTS } from "#lib/features/publishing/constants.ts";
import { readManifest } from "#scripts/backup-files.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { type CommandEnd, runCommand } from "#tests/support/operator-command.ts";
import { buildSource, HARNESS_KEY, pinsByTitle, type SourceProduct } from "./operator-harness.ts";
import { CREATE, publishingSetup } from "./publishing-harness.ts";

/** The restored product; the source product uses the same Pinterest. */
const setup = publishingSetup();

const folder = mkdtempSync(join(tmpdir(), "backup-"));
const backup = join(folder, "first");
const sourceStorage = join(folder, "lost");

let sourceDatabase: TestDatabase;
let source: SourceProduct;
let backupEnd: CommandEnd;

beforeAll(async () => {
  sourceDatabase = await createTestDatabase();
  const { pinterest } = setup;
  source = await buildSource({ databaseUrl: sourceDatabase.url, storageDir: sourceStorage, pinterest });
  backupEnd = await runCommand("backup.ts", [backup], settingsOf(sourceDatabase.url, sourceStorage));
}, 180_000);
afterAll(async () => {
  await sourceDatabase.close();
  rmSync(folder, { recursive: true, force: true });
});

const settingsOf = (databaseUrl: string, storageDir: string) => ({
  DATABASE_URL: databaseUrl,
  STORAGE_URL: `file:${storageDir}`,
  ENCRYPTION_KEY: HARNESS_KEY,
});

/** Tables with rows; of all others the backup must contain the name. */
const FILLED = [
  "contact_messages",
  "credit_balances",
  "credit_lines",
  "credit_reservations",
  "credit_transfers",
  "email_changes",
  "email_verifications",
  "erasures",
  "generation_groups",
  "generation_tasks",
  "email_outbox",
  "live_events",
  "live_horizon",
  "logins",
  "oauth_states",
  "orphaned_images",
  "password_resets",
  "pins",
  "pinterest_accounts",
  "publish_attempts",
  "users",
];

const expectWhole = (): void => {
  const manifest = readManifest(backup);
  const tables = Object.values(schema).flatMap((item) => (is(item, PgTable) ? [getTableName(item)] : []));
  // Counts of rate limits may be lost at any time, so they are not backed up.
  const kept = tables.filter((name) => name !== getTableName(rateLimits));
  expect(manifest.tables.map(({ name }) => name).toSorted()).toEqual(kept.toSorted());
  const filled = manifest.tables.filter(({ rows }) => rows > 0).map(({ name }) => name);
  expect(filled).toEqual(expect.arrayContaining(FILLED));
  expect(manifest.images).toMatchObject({ count: 7, missing: 0 });
  expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
  const texts = ["manifest.json", "images.jsonl"].map((name) => readFileSync(join(backup, name), "utf8")).join();
  expect(texts).not.toMatch(new RegExp(`${HARNESS_KEY}|@example.com`));
};

const restoreDamaged = async (): Promise<void> => {
  const damaged = join(folder, "damaged");
  cpSync(backup, damaged, { recursive: true });
  appendFileSync(join(damaged, "images", "pins", "draft.jpg"), "x");
  const end = await runCommand("restore.ts", [damaged], settingsOf(setup.database.url, setup.storageDir));
  expect(end).toEqual({ code: 1, out: "", err: "The backup is damaged: image pins/draft.jpg.\n" });
};

const expectRestored = async ({ harness }: SourceProduct): Promise<void> => {
  const pins = await pinsByTitle(setup.harness);
  expect(pins.get("later")).toMatchObject({ status: "scheduled", reason: TEXTS.restored, mayBePublished: true });
  expect(pins.get("draft")).toMatchObject({ status: "draft", mayBePublished: false });
  expect(pins.get("failed")).toMatchObject({ status: "failed", mayBePublished: true });
  expect(pins.get("before")).toEqual((await pinsByTitle(harness)).get("before"));
  const image = await setup.harness.ports.storage.get("pins/later.jpg");
  expect(image).toEqual(await harness.ports.storage.get("pins/later.jpg"));
  expect(await checkLedger(setup.job())).toMatchObject({ faults: [], sumCredits: 0 });
  const { db } = setup.harness.database;
  expect((await db.select().from(schema.logins)).map(({ revokedAt }) => revokedAt)).toEqual([expect.any(Date)]);
  expect(await db.select().from(schema.oauthStates)).toEqual([]);
};

/** The restored product works on each scheduled pin. */
const runRestored = async () => {
  // Wider than any clock skew: pins published since the backup must not match as new pins of the board.
  await setup.moveClock(HOUR_MS);
  await setup.pinterest.resetCalls();
  for (const { id, status, scheduleGeneration } of (await pinsByTitle(setup.harness)).values()) {
    if (status === "scheduled") await setup.drive({ pinId: id, scheduleGeneration });
  }
  return pinsByTitle(setup.harness);
};

test("R-SRV-03 R-SRV-01 a backup restores the same rows, and pins published since are not published again", async () => {
  const { username } = source.account;
  expect(backupEnd).toEqual({ code: 0, err: "", out: expect.stringMatching(/rows in \d+ tables and 7 images/) });
  expectWhole();

  await source.work("after");
  await source.work("armed");
  await source.work("later", "armed");
  const there = await setup.pinterest.pinsOf(username);
  expect(there.map(({ title }) => title).toSorted()).toEqual(["after", "armed", "before"]);

  await restoreDamaged();
  const restored = await runCommand("restore.ts", [backup], settingsOf(setup.database.url, setup.storageDir));
  expect(restored).toMatchObject({ code: 0, err: "", out: expect.stringContaining("4 pins were scheduled.") });
  await expectRestored(source);
  await source.harness.close();

  const after = await runRestored();
  expect(await setup.pinterest.calls(CREATE)).toBe(2);
  const pins = await setup.pinterest.pinsOf(username);
  expect(pins.map(({ title }) => title).toSorted()).toEqual(["after", "armed", "before", "later", "waiting"]);
  for (const { id, title } of pins) {
    expect(after.get(title)).toMatchObject({ status: "published", pinterestPinId: id, mayBePublished: false });
  }
}, 180_000);

test("a copy is loaded completely or not at all", async () => {
  const manifest = readManifest(backup);
  const tables = join(backup, "tables");
  const target = await createTestDatabase();
  const load = (change: Partial<typeof manifest>, finish = async () => {}) =>
    loadDatabase(target.url, tables, { ...manifest, ...change }, finish);
  const rows = async () => (await target.db.select().from(schema.users)).length;
  try {
    await expect(load({ schema: { migrations: 1, newest: "0" } })).rejects.toThrow(
      /^The backup was made by another version/,
    );
    await expect(load({ tables: manifest.tables.slice(1) })).rejects.toThrow(LoadError);
    const wrong = manifest.tables.map((table) => ({ ...table, sha256: "0".repeat(64) }));
    await expect(load({ tables: wrong })).rejects.toThrow(/differs from the backup/);
    const dies = () => Promise.reject(new Error("The operator pressed Ctrl-C."));
    await expect(load({}, dies)).rejects.toThrow("Ctrl-C");
    expect(await rows()).toBe(0);
    await load({});
    expect(await rows()).toBe(1);
    await expect(load({})).rejects.toThrow(/^The database is not empty/);
    const ctx = { ...setup.job(), db: target.db };
    expect(await countUnreadable({ ...ctx, sealer: createSealer([HARNESS_KEY]) })).toBe(0);
    expect(await countUnreadable({ ...ctx, sealer: createSealer(["22".repeat(32)]) })).toBe(1);
  } finally {
    await target.close();
  }
}, 160_000);

test("a backup creates its own folder, and only a complete one is accepted", async () => {
  const again = await runCommand("backup.ts", [backup], settingsOf(sourceDatabase.url, sourceStorage));
  expect(again).toEqual({ code: 1, out: "", err: expect.stringMatching(/already exists/) });
  const foreign = `${join(folder, "foreign")}.partial`;
  mkdirSync(foreign);
  writeFileSync(join(foreign, "letter.txt"), "x");
  const kept = await runCommand("backup.ts", [join(folder, "foreign")], settingsOf(sourceDatabase.url, sourceStorage));
  expect(kept).toEqual({ code: 1, out: "", err: expect.stringMatching(/not from a backup/) });
  expect(readdirSync(foreign)).toEqual(["letter.txt"]);
  const half = join(folder, "half");
  cpSync(backup, half, { recursive: true });
  rmSync(join(half, "manifest.json"));
  expect(() => readManifest(half)).toThrow(/no manifest\.json/);
  writeFileSync(join(half, "manifest.json"), '{"format":2}');
  expect(() => readManifest(half)).toThrow(/This version can't read/);
  expect(existsSync(`${backup}.partial`)).toBe(false);
}, 160_000);
