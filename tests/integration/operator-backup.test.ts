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
import { LoadRefusal, loadDatabase } from "#db/copy.ts";
import * as schema from "#db/schema/index.ts";
import { createSealer } from "#lib/core/crypto.ts";
import { HOUR_MS } from "#lib/core/time.ts";
import { countUnreadable } from "#lib/features/accounts/queries.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { TEXTS } from "#lib/features/publishing/constants.ts";
import { readManifest } from "#scripts/backup-files.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { type CommandEnd, runCommand } from "#tests/support/operator-command.ts";
import { buildLost, HOUSE_KEY, type LostProduct, pinsByTitle } from "./operator-house.ts";
import { CREATE, publishingWorld } from "./publishing-house.ts";

/** The restored product; the lost one stands beside it, on the same Pinterest. */
const world = publishingWorld();

const folder = mkdtempSync(join(tmpdir(), "backup-"));
const backup = join(folder, "first");
const lostStorage = join(folder, "lost");

let lostDatabase: TestDatabase;
let lost: LostProduct;
let made: CommandEnd;

beforeAll(async () => {
  lostDatabase = await createTestDatabase();
  const { pinterest } = world;
  lost = await buildLost({ databaseUrl: lostDatabase.url, storageDir: lostStorage, pinterest });
  made = await runCommand("backup.ts", [backup], settingsOf(lostDatabase.url, lostStorage));
}, 180_000);
afterAll(async () => {
  await lostDatabase.close();
  rmSync(folder, { recursive: true, force: true });
});

const settingsOf = (databaseUrl: string, storageDir: string) => ({
  DATABASE_URL: databaseUrl,
  STORAGE_URL: `file:${storageDir}`,
  ENCRYPTION_KEY: HOUSE_KEY,
});

/** Tables that rows were left in; of all others the backup must know at least the name. */
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
  "letters",
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
  const tables = Object.values(schema).flatMap((one) => (is(one, PgTable) ? [getTableName(one)] : []));
  expect(manifest.tables.map(({ name }) => name).toSorted()).toEqual(tables.toSorted());
  const filled = manifest.tables.filter(({ rows }) => rows > 0).map(({ name }) => name);
  expect(filled).toEqual(expect.arrayContaining(FILLED));
  expect(manifest.pictures).toMatchObject({ count: 7, missing: 0 });
  expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
  const texts = ["manifest.json", "pictures.jsonl"].map((name) => readFileSync(join(backup, name), "utf8")).join();
  expect(texts).not.toMatch(new RegExp(`${HOUSE_KEY}|@example.com`));
};

const restoreDamaged = async (): Promise<void> => {
  const damaged = join(folder, "damaged");
  cpSync(backup, damaged, { recursive: true });
  appendFileSync(join(damaged, "pictures", "pins", "draft.jpg"), "x");
  const end = await runCommand("restore.ts", [damaged], settingsOf(world.database.url, world.storageDir));
  expect(end).toEqual({ code: 1, out: "", err: "The backup is damaged: the picture pins/draft.jpg.\n" });
};

const expectRestored = async ({ house }: LostProduct): Promise<void> => {
  const pins = await pinsByTitle(world.house);
  expect(pins.get("later")).toMatchObject({ status: "scheduled", reason: TEXTS.restored, mayBePublished: true });
  expect(pins.get("draft")).toMatchObject({ status: "draft", mayBePublished: false });
  expect(pins.get("failed")).toMatchObject({ status: "failed", mayBePublished: true });
  expect(pins.get("before")).toEqual((await pinsByTitle(house)).get("before"));
  const picture = await world.house.ports.storage.get("pins/later.jpg");
  expect(picture).toEqual(await house.ports.storage.get("pins/later.jpg"));
  expect(await checkLedger(world.job())).toMatchObject({ faults: [], sumCredits: 0 });
  const { db } = world.house.database;
  expect((await db.select().from(schema.logins)).map(({ revokedAt }) => revokedAt)).toEqual([expect.any(Date)]);
  expect(await db.select().from(schema.oauthStates)).toEqual([]);
};

/** The copy's own product works on each pin that is scheduled. */
const runRestored = async () => {
  // Longer than clocks may differ: what was published since the backup does not stand on the board as something new.
  await world.moveClock(HOUR_MS);
  await world.pinterest.forgetCalls();
  for (const { id, status, scheduleGeneration } of (await pinsByTitle(world.house)).values()) {
    if (status === "scheduled") await world.drive({ pinId: id, scheduleGeneration });
  }
  return pinsByTitle(world.house);
};

test("R-SRV-03 R-SRV-01 a backup restores to the same rows, and what was published since is not published again", async () => {
  const { username } = lost.account;
  expect(made).toEqual({ code: 0, err: "", out: expect.stringMatching(/rows of \d+ tables and 7 pictures/) });
  expectWhole();

  await lost.work("after");
  await lost.work("armed");
  await lost.work("later", "armed");
  const there = await world.pinterest.pinsOf(username);
  expect(there.map(({ title }) => title).toSorted()).toEqual(["after", "armed", "before"]);

  await restoreDamaged();
  const restored = await runCommand("restore.ts", [backup], settingsOf(world.database.url, world.storageDir));
  expect(restored).toMatchObject({ code: 0, err: "", out: expect.stringContaining("4 pins were scheduled then") });
  await expectRestored(lost);
  await lost.house.close();

  const after = await runRestored();
  expect(await world.pinterest.calls(CREATE)).toBe(2);
  const pins = await world.pinterest.pinsOf(username);
  expect(pins.map(({ title }) => title).toSorted()).toEqual(["after", "armed", "before", "later", "waiting"]);
  for (const { id, title } of pins) {
    expect(after.get(title)).toMatchObject({ status: "published", pinterestPinId: id, mayBePublished: false });
  }
}, 180_000);

test("a copy is loaded whole or not at all", async () => {
  const manifest = readManifest(backup);
  const tables = join(backup, "tables");
  const target = await createTestDatabase();
  const load = (change: Partial<typeof manifest>, finish = async () => {}) =>
    loadDatabase(target.url, tables, { ...manifest, ...change }, finish);
  const rows = async () => (await target.db.select().from(schema.users)).length;
  try {
    await expect(load({ schema: { migrations: 1, newest: "0" } })).rejects.toThrow(/^The backup is of another version/);
    await expect(load({ tables: manifest.tables.slice(1) })).rejects.toThrow(LoadRefusal);
    const wrong = manifest.tables.map((table) => ({ ...table, sha256: "0".repeat(64) }));
    await expect(load({ tables: wrong })).rejects.toThrow(/came out different/);
    const dies = () => Promise.reject(new Error("The operator pressed Ctrl-C."));
    await expect(load({}, dies)).rejects.toThrow("Ctrl-C");
    expect(await rows()).toBe(0);
    await load({});
    expect(await rows()).toBe(1);
    await expect(load({})).rejects.toThrow(/^The database is not empty/);
    const ctx = { ...world.job(), db: target.db };
    expect(await countUnreadable({ ...ctx, sealer: createSealer([HOUSE_KEY]) })).toBe(0);
    expect(await countUnreadable({ ...ctx, sealer: createSealer(["22".repeat(32)]) })).toBe(1);
  } finally {
    await target.close();
  }
}, 160_000);

test("a backup makes a folder of its own, and only a whole one is taken for a backup", async () => {
  const again = await runCommand("backup.ts", [backup], settingsOf(lostDatabase.url, lostStorage));
  expect(again).toEqual({ code: 1, out: "", err: expect.stringMatching(/exists already/) });
  const foreign = `${join(folder, "foreign")}.partial`;
  mkdirSync(foreign);
  writeFileSync(join(foreign, "letter.txt"), "x");
  const kept = await runCommand("backup.ts", [join(folder, "foreign")], settingsOf(lostDatabase.url, lostStorage));
  expect(kept).toEqual({ code: 1, out: "", err: expect.stringMatching(/no backup wrote/) });
  expect(readdirSync(foreign)).toEqual(["letter.txt"]);
  const half = join(folder, "half");
  cpSync(backup, half, { recursive: true });
  rmSync(join(half, "manifest.json"));
  expect(() => readManifest(half)).toThrow(/no manifest\.json/);
  writeFileSync(join(half, "manifest.json"), '{"format":2}');
  expect(() => readManifest(half)).toThrow(/not one that this version can read/);
  expect(existsSync(`${backup}.partial`)).toBe(false);
}, 160_000);
