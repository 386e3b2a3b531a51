import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LoadRefusal, loadDatabase } from "#db/load.ts";
import * as schema from "#db/schema/index.ts";
import type { FullCtx } from "#lib/context.ts";
import { createSealer } from "#lib/core/seal.ts";
import { countUnreadable } from "#lib/features/accounts/count-unreadable.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import { startConnection } from "#lib/features/accounts/start-connection.ts";
import { checkLedger } from "#lib/features/credits/check-ledger.ts";
import { grantCredits } from "#lib/features/credits/grant-credits.ts";
import { startGeneration } from "#lib/features/generation/start-generation.ts";
import { logIn } from "#lib/features/identity/log-in.ts";
import { createDraft } from "#lib/features/pins/create-draft.ts";
import { orphanImage } from "#lib/features/pins/orphan-image.ts";
import { toPin } from "#lib/features/pins/queries.ts";
import { claimPin } from "#lib/features/publishing/claim-pin.ts";
import { TEXTS } from "#lib/features/publishing/constants.ts";
import { createPin } from "#lib/features/publishing/create-pin.ts";
import { scheduleBatch } from "#lib/features/publishing/schedule-batch.ts";
import { settleAttempt } from "#lib/features/publishing/settle-attempt.ts";
import { readManifest } from "#scripts/backup/manifest.ts";
import { connectAccount } from "#tests/support/connect-account.ts";
import { createTestHouse, createUser, type TestHouse } from "#tests/support/context.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { runCommand } from "#tests/support/operator-command.ts";
import { CREATE, publishingWorld } from "./publishing-house.ts";

/** The restored product. The lost one is made below, on the same Pinterest. */
const world = publishingWorld();

const KEY = "11".repeat(32);
const PASSWORD = "correct horse 1";
const folder = mkdtempSync(join(tmpdir(), "backup-"));
const backup = join(folder, "first");
const lostStorage = join(folder, "lost");

let lostDatabase: TestDatabase;
let lost: TestHouse;

beforeAll(async () => {
  lostDatabase = await createTestDatabase();
});
afterAll(async () => {
  await lost.close();
  await lostDatabase.close();
  rmSync(folder, { recursive: true, force: true });
});

const settingsOf = (databaseUrl: string, storageDir: string) => ({
  DATABASE_URL: databaseUrl,
  STORAGE_URL: `file:${storageDir}`,
  ENCRYPTION_KEY: KEY,
});

/** A picture of its own for each title. */
const paint = (title: string): Promise<Buffer> =>
  sharp({ create: { width: 400, height: 600, channels: 3, background: { r: title.length * 20, g: 90, b: 60 } } })
    .jpeg()
    .toBuffer();

interface Owner {
  ctx: FullCtx;
  account: OwnedAccount;
  email: string;
  draft(title: string): Promise<string>;
}

const makeOwner = async (): Promise<Owner> => {
  const { ctx, userId, email } = await createUser(lost);
  const account = await connectAccount(ctx, world.pinterest);
  const board = (await world.pinterest.boardsOf(account.username)).find(({ privacy }) => privacy === "PUBLIC");
  if (!board) throw new Error("The account has no public board.");
  return {
    ctx,
    account,
    email,
    draft: async (title) => {
      const imageKey = `pins/${title}.jpg`;
      await ctx.storage.put(imageKey, await paint(title));
      const rest = { description: `${title}\tand\nmore \\`, altText: "", link: null, keyword: title, imageKey };
      return createDraft(ctx, { userId, accountId: account.id, boardId: board.id, source: "ai", title, ...rest });
    },
  };
};

const rowsIn = async (house: TestHouse) => {
  const rows = await house.database.db.select().from(schema.pins);
  return new Map(rows.map((row) => [row.title, toPin(row)]));
};

/** Takes a pin of the lost product so far; `stopAt` is where its process would die. */
const work = async (title: string, stopAt?: "armed"): Promise<void> => {
  const pin = (await rowsIn(lost)).get(title);
  if (!pin) throw new Error(`There is no ${title}.`);
  const ctx = { ...lost.ports, ...jobOf(lost) };
  const scheduled = { pinId: pin.id, scheduleGeneration: pin.scheduleGeneration };
  const claim = await claimPin(ctx, scheduled);
  if (claim.kind !== "attempt" || stopAt === "armed") return;
  const attempt = { ...scheduled, attemptId: claim.attemptId };
  await createPin(ctx, attempt);
  await settleAttempt(ctx, attempt);
};

const jobOf = (house: TestHouse): FullCtx => ({ ...world.job(), db: house.database.db, ...house.ports });

/** Rows in every table there is, as users, their work and a crash leave them. */
const fillLost = async (): Promise<Owner> => {
  const owner = await makeOwner();
  const { ctx, account, draft, email } = owner;
  await grantCredits(ctx, { email, credits: 5, note: "welcome", cause: "backup-test" });
  const rows = [{ keyword: "balcony", url: null }];
  await startGeneration(ctx, { accountId: account.id, boardId: "1", quality: "standard", rows });
  await startConnection(ctx, { accountId: account.id });
  await logIn(ctx, { email, password: PASSWORD });
  await orphanImage(ctx, { imageKey: "pins/orphan.jpg" });
  const { userId } = await logIn(ctx, { email, password: PASSWORD });
  const at = { createdAt: ctx.now(), expiresAt: ctx.now() };
  await ctx.db.insert(schema.emailVerifications).values({ tokenHash: "h", userId, emailKey: email, ...at });
  for (const title of ["before", "after", "armed", "waiting", "later"]) {
    await scheduleBatch(ctx, { postIds: [await draft(title)], intervalMinutes: 60, start: null });
  }
  await draft("draft");
  await draft("failed");
  await ctx.db.update(schema.pins).set({ status: "failed" }).where(eq(schema.pins.title, "failed"));
  await work("before");
  await work("armed", "armed");
  return owner;
};

const expectWhole = (): void => {
  const manifest = readManifest(backup);
  const tables = Object.values(schema).flatMap((one) => (is(one, PgTable) ? [getTableName(one)] : []));
  expect(manifest.tables.map(({ name }) => name).toSorted()).toEqual(tables.toSorted());
  expect(manifest.tables.filter(({ rows }) => rows === 0).map(({ name }) => name)).toEqual([]);
  expect(manifest.pictures).toMatchObject({ count: 7, missing: 0 });
  expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
  const texts = ["manifest.json", "pictures.jsonl"].map((name) => readFileSync(join(backup, name), "utf8")).join();
  expect(texts).not.toMatch(new RegExp(`${KEY}|@example.com`));
};

/** The copy's own product works on each pin that is scheduled. */
const runRestored = async () => {
  await world.pinterest.forgetCalls();
  for (const { id, status, scheduleGeneration } of (await rowsIn(world.house)).values()) {
    if (status === "scheduled") await world.drive({ pinId: id, scheduleGeneration });
  }
  return rowsIn(world.house);
};

test("R-SRV-03 R-SRV-01 a backup restores to the same rows, and what was published since is not published again", async () => {
  lost = createTestHouse({
    databaseUrl: lostDatabase.url,
    storageDir: lostStorage,
    pinterestUrl: world.pinterest.url,
  });
  const { account } = await fillLost();
  const made = await runCommand("backup.ts", [backup], settingsOf(lostDatabase.url, lostStorage));
  expect(made).toEqual({ code: 0, err: "", out: expect.stringMatching(/rows of \d+ tables and 7 pictures/) });
  expectWhole();

  await work("after");
  await work("armed");
  await work("later", "armed");
  const there = await world.pinterest.pinsOf(account.username);
  expect(there.map(({ title }) => title).toSorted()).toEqual(["after", "armed", "before"]);

  const damaged = join(folder, "damaged");
  cpSync(backup, damaged, { recursive: true });
  appendFileSync(join(damaged, "pictures", "pins", "draft.jpg"), "x");
  const target = settingsOf(world.database.url, world.storageDir);
  expect(await runCommand("restore.ts", [damaged], target)).toEqual({
    code: 1,
    out: "",
    err: "The backup is damaged: the picture pins/draft.jpg.\n",
  });
  const restored = await runCommand("restore.ts", [backup], target);
  expect(restored).toMatchObject({ code: 0, err: "", out: expect.stringContaining("4 pins were scheduled then") });

  const before = await rowsIn(world.house);
  expect(before.get("later")).toMatchObject({ status: "scheduled", reason: TEXTS.restored, mayBePublished: true });
  expect(before.get("draft")).toMatchObject({ status: "draft", mayBePublished: false });
  expect(before.get("failed")).toMatchObject({ status: "failed", mayBePublished: true });
  expect(before.get("before")).toEqual((await rowsIn(lost)).get("before"));
  expect(await world.house.ports.storage.get("pins/later.jpg")).toEqual(await lost.ports.storage.get("pins/later.jpg"));
  expect(await checkLedger(world.job())).toMatchObject({ faults: [], sumCredits: 0 });
  const { db } = world.house.database;
  expect((await db.select().from(schema.logins)).every(({ revokedAt }) => revokedAt !== null)).toBe(true);
  expect(await db.select().from(schema.oauthStates)).toEqual([]);

  const after = await runRestored();
  expect(await world.pinterest.calls(CREATE)).toBe(2);
  const ids = new Map((await world.pinterest.pinsOf(account.username)).map(({ id, title }) => [title, id]));
  expect([...ids.keys()].toSorted()).toEqual(["after", "armed", "before", "later", "waiting"]);
  expect(await world.pinterest.pinsOf(account.username)).toHaveLength(5);
  for (const [title, id] of ids) {
    expect([title, after.get(title)?.status, after.get(title)?.pinterestPinId]).toEqual([title, "published", id]);
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
    expect(await countUnreadable({ ...ctx, sealer: createSealer([KEY]) })).toBe(0);
    expect(await countUnreadable({ ...ctx, sealer: createSealer(["22".repeat(32)]) })).toBe(1);
  } finally {
    await target.close();
  }
}, 60_000);

test("a backup makes a folder of its own, and only a whole one is taken for a backup", async () => {
  const settings = settingsOf(lostDatabase.url, lostStorage);
  const again = await runCommand("backup.ts", [backup], settings);
  expect(again).toEqual({ code: 1, out: "", err: expect.stringMatching(/exists already/) });
  const half = join(folder, "half");
  cpSync(backup, half, { recursive: true });
  rmSync(join(half, "manifest.json"));
  expect(() => readManifest(half)).toThrow(/no manifest\.json/);
  writeFileSync(join(half, "manifest.json"), '{"format":2}');
  expect(() => readManifest(half)).toThrow(/not one that this version can read/);
  expect(existsSync(`${backup}.partial`)).toBe(false);
}, 60_000);
