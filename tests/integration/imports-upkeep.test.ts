import { eq, sql } from "drizzle-orm";
import { strToU8, zipSync } from "fflate";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Transaction } from "#db/client.ts";
import { pinImportFiles, pinImportRows, pinImports } from "#db/schema/imports.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { OFFLINE_WAIT_MS } from "#lib/features/spreadsheets/constants.ts";
import { cancelCreation, createImportedPins } from "#lib/features/spreadsheets/creation.ts";
import { chooseRows, discardImport, fixRow, readProgress, retryImages } from "#lib/features/spreadsheets/review.ts";
import { fetchImages } from "#lib/features/spreadsheets/row-images.ts";
import { importRequested } from "#lib/features/spreadsheets/schema.ts";
import { createLinks } from "#lib/integrations/links/client.ts";
import { until } from "#tests/support/poll.ts";
import { photo } from "#tests/support/sample-images.ts";
import { importsSetup } from "./imports-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const setup = importsSetup();

/** A sheet whose rows can become drafts once their images are fetched. */
const stage = async (creator: Creator, titles: readonly string[], image?: string): Promise<string> => {
  const url = image ?? setup.imageUrl(await photo());
  const board = await setup.boardName(creator);
  return setup.stage(creator, ["Title,Image,Board", ...titles.map((title) => `${title},${url},${board}`)].join("\n"));
};

const stageZip = async (creator: Creator, files: Record<string, Uint8Array>): Promise<string> =>
  setup.stage(creator, `Title,Image,Board\nMoss,moss.jpg,${await setup.boardName(creator)}`, zipSync(files));

const keysOf = async ({ ctx }: Creator, importId: string): Promise<string[]> => {
  const files = await ctx.db.select().from(pinImportFiles).where(eq(pinImportFiles.importId, importId));
  const rows = await ctx.db.select().from(pinImportRows).where(eq(pinImportRows.importId, importId));
  return [...files.map(({ key }) => key), ...rows.flatMap(({ imageKey }) => imageKey ?? [])];
};

const storedOf = async ({ ctx }: Creator, keys: readonly string[]): Promise<number> =>
  (await Promise.all(keys.map((key) => ctx.storage.has(key)))).filter(Boolean).length;

/** Until the test ends, no name server responds. */
const goOffline = (): void => {
  const { links } = setup.harness.ports;
  setup.harness.ports.links = createLinks({ userAgent: "test", nameServers: ["127.0.0.1:9"] });
  onTestFinished(() => {
    setup.harness.ports.links = links;
  });
};

describe("while our server is offline", () => {
  test("images wait for ten minutes; then the rows say so, and a confirmed import is back in review", async () => {
    const creator = await setup.insertCreator();
    const importId = await stage(creator, ["One"], "https://shop.test/moss.jpg");
    await setup.confirm(creator, importId);
    goOffline();
    const requested = importRequested.parse({ importId });
    const waits = { code: "provider_unavailable" };
    await expect(fetchImages(setup.job(), requested)).rejects.toMatchObject(waits);
    await setup.moveClock(OFFLINE_WAIT_MS + MINUTE_MS);
    expect(await setup.run(importId)).toBe("refused");
    const seen = await setup.review(creator, importId);
    expect(seen.reason).toMatch(/^Nothing was created. Row 2: We couldn't download the image/);
    expect(seen.counts).toMatchObject({ images_waiting: 0, images_failed: 1 });
    await retryImages(creator.ctx, { importId });
    await expect(fetchImages(setup.job(), requested)).rejects.toMatchObject(waits);
  });
});

describe("canceling a confirmed import", () => {
  test("takes it back to review, where it can be changed, discarded, and confirmed again", async () => {
    const creator = await setup.insertCreator();
    const importId = await stage(creator, ["One"]);
    await setup.confirm(creator, importId);
    await cancelCreation(creator.ctx, { importId });
    expect(await setup.run(importId)).toBe("nothing");
    expect([await setup.pinsOf(creator), await setup.importOf(importId)]).toMatchObject([[], { status: "review" }]);
    await fixRow(creator.ctx, { importId, number: 2, fixes: { title: "Two" } });
    await setup.confirm(creator, importId);
    expect(await setup.run(importId)).toBe("created");
    expect((await setup.pinsOf(creator)).map(({ title }) => title)).toEqual(["Two"]);
    await expect(cancelCreation(creator.ctx, { importId })).rejects.toMatchObject({ code: "wrong_state" });
    const stranger = await setup.insertCreator();
    await expect(cancelCreation(stranger.ctx, { importId })).rejects.toMatchObject({ code: "not_found" });
  });

  test("while its pins are being created, waits for them and is refused", async () => {
    const creator = await setup.insertCreator();
    const importId = await stage(creator, ["One", "Two"]);
    await setup.run(importId);
    await setup.confirm(creator, importId);
    const { db } = creator.ctx;
    const waiting = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    let canceled: Promise<PromiseSettledResult<void>[]> | null = null;
    // Everything is written, but not committed.
    const transaction = (work: (tx: Transaction) => Promise<unknown>) =>
      db.transaction(async (tx) => {
        const made = await work(tx);
        // Cleaning up afterward has transactions of its own.
        if (canceled !== null) return made;
        canceled = Promise.allSettled([cancelCreation(creator.ctx, { importId })]);
        await until(async () => (await db.execute(waiting)).length > 0, { what: "the cancellation to wait" });
        return made;
      });
    const slow = new Proxy(db, { get: (of, name) => (name === "transaction" ? transaction : Reflect.get(of, name)) });
    const job = { ...setup.job(), db: slow };
    expect(await createImportedPins(job, importRequested.parse({ importId }))).toEqual({ kind: "created" });
    expect(await canceled).toMatchObject([{ status: "rejected", reason: { code: "wrong_state" } }]);
    expect([await setup.importOf(importId), await setup.pinsOf(creator)]).toMatchObject([{ status: "done" }, [{}, {}]]);
  });
});

test("a run of a finished import leaves nothing for the sweep", async () => {
  const creator = await setup.insertCreator();
  const importId = await stage(creator, ["One"]);
  await setup.confirm(creator, importId);
  expect(await setup.run(importId)).toBe("created");
  expect(await setup.run(importId)).toBe("gone");
  expect(await setup.importOf(importId)).toMatchObject({ status: "done", wakeAt: null });
});

describe("what an import stores", () => {
  test("stays while its user keeps changing it, however long, and goes with it", async () => {
    const creator = await setup.insertCreator();
    const importId = await stageZip(creator, { "moss.jpg": new Uint8Array(await photo()) });
    await setup.run(importId);
    const keys = await keysOf(creator, importId);
    await setup.moveClock(8 * DAY_MS);
    await purgeImages(setup.job());
    expect([keys.length, await storedOf(creator, keys)]).toEqual([2, 2]);
    // An image that a row had before is unused from then on, although it was in use at the last purge.
    await fixRow(creator.ctx, { importId, number: 2, fixes: { image: setup.imageUrl(await photo(600, 900)) } });
    await setup.run(importId);
    await setup.moveClock(8 * DAY_MS);
    await purgeImages(setup.job());
    const now = await keysOf(creator, importId);
    expect(await storedOf(creator, now)).toBe(2);
    const before = keys.filter((key) => !now.includes(key));
    expect([before.length, await storedOf(creator, before)]).toEqual([1, 0]);
    await discardImport(creator.ctx, { importId });
    await purgeImages(setup.job());
    expect(await storedOf(creator, [...keys, ...now])).toBe(0);
  });

  test("of a ZIP file, images, and of other files only what tells them apart, until the import is replaced or discarded", async () => {
    const creator = await setup.insertCreator();
    const moss = new Uint8Array(await photo());
    const first = await stageZip(creator, {
      "moss.jpg": moss,
      "fern.jpg": strToU8("no image"),
      "ivy.png": strToU8(""),
    });
    const firstKeys = await keysOf(creator, first);
    expect([firstKeys.length, await storedOf(creator, firstKeys)]).toEqual([3, 3]);
    const sizes = await Promise.all(firstKeys.map(async (key) => (await creator.ctx.storage.get(key))?.length));
    expect(sizes.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([0, 8, moss.length]);
    const second = await stageZip(creator, { "moss.jpg": moss });
    expect(await storedOf(creator, firstKeys)).toBe(0);
    const secondKeys = await keysOf(creator, second);
    await discardImport(creator.ctx, { importId: second });
    expect([secondKeys.length, await storedOf(creator, secondKeys)]).toEqual([1, 0]);
    await expect(stageZip(creator, { "moss.jpg": strToU8("no image") })).rejects.toMatchObject({
      fields: { images: ["There are no images in the ZIP file. Add them and try again."] },
    });
  });

  test.each(["put", "transaction"] as const)(
    "of a ZIP file, nothing when the import fails at its %s",
    async (where) => {
      const creator = await setup.insertCreator();
      const moss = new Uint8Array(await photo());
      const keys: string[] = [];
      const { storage, db } = creator.ctx;
      const put: FullCtx["storage"]["put"] = async (key, bytes) => {
        keys.push(key);
        await storage.put(key, bytes);
        if (where === "put" && keys.length === 2) throw new Error("The disk is full.");
      };
      const die = () => {
        throw new AppError("wrong_state");
      };
      const dying = new Proxy(db, { get: (of, name) => (name === "transaction" ? die : Reflect.get(of, name)) });
      const ctx = { ...creator.ctx, storage: { ...storage, put }, db: where === "transaction" ? dying : db };
      await expect(stageZip({ ...creator, ctx }, { "moss.jpg": moss, "fern.jpg": moss })).rejects.toThrow();
      expect([keys.length, await storedOf(creator, keys)]).toEqual([2, 0]);
      expect(await db.$count(pinImports, eq(pinImports.userId, creator.userId))).toBe(0);
    },
  );
});

describe("the review", () => {
  test("offers the first ten missing boards that can be created, and counts the others", async () => {
    const creator = await setup.insertCreator();
    const names = [...Array.from({ length: 13 }, (_, at) => `Shade ${at}`), "shade  0", "x".repeat(51)];
    const importId = await setup.stage(creator, `Title,Board\n${names.map((name) => `Moss,${name}`).join("\n")}`);
    const seen = await setup.review(creator, importId);
    expect(seen.missing_boards).toEqual({ names: names.slice(0, 10), more: 3 });
  });

  test("checks the links of the chosen rows, and shows what a page answers before anything is created", async () => {
    const creator = await setup.insertCreator();
    const [dead, fine, skipped] = [setup.page(404), setup.page(200), setup.page(404)];
    const rows = [`Moss,${dead}`, `Fern,${fine}`, "Ivy,not a link", `Oak,${skipped}`, "Ash,"];
    const importId = await setup.stage(creator, ["Title,Link", ...rows].join("\n"));
    await chooseRows(creator.ctx, { importId, numbers: [5], isChosen: false });
    const linksOf = async () =>
      (await setup.review(creator, importId)).rows.map((row) => [row.link_state, row.link_checking]);
    const progress = () => readProgress(creator.ctx, { importId, numbers: [2, 3, 4, 5, 6] });
    const none = [null, false];
    expect(await linksOf()).toEqual([[null, true], [null, true], none, none, none]);
    expect(await progress()).toMatchObject({ shown_checking: 2 });
    await setup.run(importId);
    await setup.run(importId);
    const idsOf = (url: string) => new Set(setup.requested(url).map(({ id }) => id)).size;
    expect([dead, fine, skipped].map(idsOf)).toEqual([1, 1, 0]);
    expect(await linksOf()).toEqual([["pending", true], ["pending", true], none, none, none]);
    await setup.check(dead);
    await setup.check(fine);
    expect(await linksOf()).toEqual([["dead", false], ["insecure", false], none, none, none]);
    expect(await progress()).toMatchObject({ shown_checking: 0 });
    const { rows: shown, counts } = await setup.review(creator, importId);
    expect(shown[0]?.link_warning).toBe("This page doesn't exist (404). Check the link.");
    expect(shown[0]?.problems.map(({ field }) => field)).not.toContain("link");
    expect(counts.problems).toBe(4);
  });

  test("asks for what changed by itself, in the same numbers as the rows have", async () => {
    const creator = await setup.insertCreator();
    const importId = await stage(creator, ["One", "Two"]);
    await fixRow(creator.ctx, { importId, number: 3, fixes: { image: setup.page(404) } });
    const progress = (numbers: number[]) => readProgress(creator.ctx, { importId, numbers });
    const numbersOf = async () => {
      const { version, status, counts } = await setup.review(creator, importId);
      return { version, status, images_waiting: counts.images_waiting, images_failed: counts.images_failed };
    };
    expect(await progress([3])).toEqual({ ...(await numbersOf()), shown_waiting: 1, shown_checking: 0 });
    expect((await numbersOf()).images_waiting).toBe(2);
    await setup.run(importId);
    expect(await progress([2, 3])).toEqual({ ...(await numbersOf()), shown_waiting: 0, shown_checking: 0 });
    expect(await numbersOf()).toMatchObject({ images_waiting: 0, images_failed: 1 });
    await fixRow(creator.ctx, { importId, number: 3, fixes: { image: setup.page(404) } });
    expect(await progress([3])).toEqual({ ...(await numbersOf()), shown_waiting: 1, shown_checking: 0 });
    const before = await numbersOf();
    await fixRow(creator.ctx, { importId, number: 2, fixes: { title: "Three" } });
    expect((await progress([])).version).toBeGreaterThan(before.version);
    const stranger = await setup.insertCreator();
    await expect(readProgress(stranger.ctx, { importId, numbers: [] })).rejects.toMatchObject({ code: "not_found" });
  });
});
