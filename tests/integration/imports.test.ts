import { and, eq } from "drizzle-orm";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { pinImportFiles, pinImportRows, pinImports } from "#db/schema/imports.ts";
import { databaseTime, type FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { confirmImport, createImportedPins, sweepImports } from "#lib/features/spreadsheets/creation.ts";
import {
  chooseRows,
  createImportBoard,
  discardImport,
  fixRow,
  mapColumns,
  readImport,
  retryImages,
  setScheduled,
} from "#lib/features/spreadsheets/review.ts";
import { fetchImages } from "#lib/features/spreadsheets/row-images.ts";
import { importRequested } from "#lib/features/spreadsheets/schema.ts";
import { photo } from "#tests/support/sample-images.ts";
import { importsSetup } from "./imports-harness.ts";
import { erase, leave } from "./privacy-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const setup = importsSetup();

/** A sheet in Pinterest's format, and its import whose images are fetched. */
const reviewed = async (creator: Creator, titles: readonly string[], more = "") => {
  const image = setup.imageUrl(await photo());
  const board = await setup.boardName(creator);
  const lines = titles.map((title) => `${title},${image},${board},,,,${more},`);
  const header = "Title,Media URL,Pinterest board,Thumbnail,Description,Link,Publish date,Keywords";
  const importId = await setup.stage(creator, [header, ...lines].join("\n"));
  await setup.run(importId);
  return importId;
};

const titlesOf = async (creator: Creator) => (await setup.pinsOf(creator)).map(({ title }) => title).toReversed();

/** A context that dies at the n-th statement of a kind: what follows never happens. */
const dyingAt = (ctx: FullCtx, what: "transaction" | "update" | "put"): FullCtx => {
  const die = () => {
    throw new Error("killed");
  };
  if (what === "put") return { ...ctx, storage: { ...ctx.storage, put: async () => die() } };
  const db = new Proxy(ctx.db, { get: (target, name) => (name === what ? die : Reflect.get(target, name)) });
  return { ...ctx, db };
};

describe("an import", () => {
  test("creates drafts of all rows once errors were fixed, and nothing before", async () => {
    const creator = await setup.insertCreator();
    const image = setup.imageUrl(await photo());
    const board = await setup.boardName(creator);
    const sheet = `Title,Media URL,Pinterest board\nOne,${image},${board}\n,${image},Nowhere\n`;
    const importId = await setup.stage(creator, sheet);
    expect(await setup.run(importId)).toBe("nothing");
    const seen = await setup.review(creator, importId);
    expect(seen).toMatchObject({ format: "pinterest", counts: { rows: 2, problems: 1, images_waiting: 0 } });
    expect(seen.missing_boards).toEqual({ names: ["Nowhere"], more: 0 });
    expect(seen.rows[1]?.problems.map(({ field }) => field)).toEqual(["title", "board"]);
    await expect(setup.confirm(creator, importId)).rejects.toMatchObject({ code: "invalid" });
    const [first, second] = [
      await createImportBoard(creator.ctx, { importId, name: "Nowhere" }),
      await createImportBoard(creator.ctx, { importId, name: "nowhere" }),
    ];
    expect(second).toEqual(first);
    await fixRow(creator.ctx, { importId, number: 3, fixes: { title: "Two" } });
    await setup.confirm(creator, importId);
    expect(await setup.pinsOf(creator)).toEqual([]);
    expect(await setup.run(importId)).toBe("created");
    expect(await titlesOf(creator)).toEqual(["One", "Two"]);
    const made = await setup.pinsOf(creator);
    expect(made.map(({ status, boardId }) => [status, boardId])).toEqual([
      ["draft", first.id],
      ["draft", creator.boardId],
    ]);
  });

  test("schedules rows at their times in the user's zone; a time that passed meanwhile creates nothing", async () => {
    const creator = await setup.insertCreator();
    const at = new Date(setup.harness.now().getTime() + HOUR_MS);
    const importId = await reviewed(creator, ["Soon", "Sooner"], at.toISOString());
    await setup.confirm(creator, importId);
    await setup.moveClock(2 * HOUR_MS);
    expect(await setup.run(importId)).toBe("refused");
    expect(await setup.pinsOf(creator)).toEqual([]);
    expect(await setup.importOf(importId)).toMatchObject({
      status: "review",
      reason: expect.stringMatching(/^Nothing was created. Row 2: This time has passed/),
    });
    const later = new Date(setup.harness.now().getTime() + HOUR_MS).toISOString();
    for (const number of [2, 3]) await fixRow(creator.ctx, { importId, number, fixes: { publishAt: later } });
    await setup.confirm(creator, importId);
    expect(await setup.run(importId)).toBe("created");
    for (const pin of await setup.pinsOf(creator)) {
      expect(pin).toMatchObject({ status: "scheduled", scheduleGeneration: 1 });
      expect([pin.scheduledAt?.toISOString(), pin.wakeAt?.toISOString()]).toEqual([later, later]);
    }
  });

  test("rows that would break the safe pace say so, also beside the account's own pins, once their images are there", async () => {
    const creator = await setup.insertCreator();
    // Tomorrow at noon, outside of the quiet hours.
    const at = addMs(await databaseTime(setup.job()), DAY_MS);
    at.setUTCHours(12, 0, 0, 0);
    const pinIds = [await setup.draft(creator, { title: "Already planned" })];
    await scheduleBatch(creator.ctx, { pinIds, intervalMinutes: 60, start: at });
    const importId = await reviewed(creator, ["Moss walls", "Moss walls"], addMs(at, 5 * MINUTE_MS).toISOString());
    await setScheduled(creator.ctx, { importId, isScheduled: true });
    const seen = await setup.review(creator, importId);
    expect(seen.counts.too_fast).toBe(2);
    expect(seen.rows[0]?.pace_warning).toMatch(
      /^Doesn't follow your safe pace: your pace keeps pins at least .* “Already planned” is too close/,
    );
    expect(seen.rows[1]?.pace_warning).toMatch(
      /; “Moss walls” is nearly identical, and your pace keeps such pins \d+ days apart\.$/,
    );
    await chooseRows(creator.ctx, { importId, numbers: [2], isChosen: false });
    expect((await setup.review(creator, importId)).counts.too_fast).toBe(1);
    await setScheduled(creator.ctx, { importId, isScheduled: false });
    const asDrafts = await setup.review(creator, importId);
    expect([asDrafts.counts.too_fast, asDrafts.rows[1]?.pace_warning]).toEqual([0, null]);
  });

  test("reads images from a ZIP file beside the sheet, and deletes what was sent afterward", async () => {
    const creator = await setup.insertCreator();
    const board = await setup.boardName(creator);
    const zip = zipSync({
      ...{ "photos/Moss.JPG": new Uint8Array(await photo()), "notes.txt": strToU8("no image") },
      "ivy.png": strToU8("a text that someone named like an image"),
    });
    const rows = ["One,moss.jpg", "Two,fern.jpg", "Three,ivy.png"].map((cells) => `${cells},${board}`);
    const importId = await setup.stage(creator, ["Title,Image,Board", ...rows].join("\n"), zip);
    await setup.run(importId);
    const seen = await setup.review(creator, importId);
    expect(seen.rows.map(({ problems }) => problems.map(({ text }) => text))).toEqual([
      ...[[], [expect.stringContaining("fern.jpg")]],
      ["This file isn't an image. Use a PNG, JPG, GIF, or WebP."],
    ]);
    expect(seen.rows[0]?.image_url).toMatch(/\.w360\.webp$/);
    const [file] = await creator.ctx.db.select().from(pinImportFiles).where(eq(pinImportFiles.importId, importId));
    await chooseRows(creator.ctx, { importId, numbers: "problems", isChosen: false });
    await setup.confirm(creator, importId);
    expect(await setup.run(importId)).toBe("created");
    expect(await titlesOf(creator)).toEqual(["One"]);
    expect(await creator.ctx.storage.get(file?.key ?? "")).toBeNull();
    expect(await creator.ctx.db.$count(pinImportRows, eq(pinImportRows.importId, importId))).toBe(0);
  });

  test("what macOS and others add to a ZIP file doesn't count as an image", async () => {
    const creator = await setup.insertCreator();
    const added = Array.from({ length: 2_100 }, (_, at) => [`__MACOSX/photos/._${at}.jpg`, strToU8("x")] as const);
    const zip = zipSync({ "photos/moss.jpg": new Uint8Array(await photo()), ...Object.fromEntries(added) });
    const board = await setup.boardName(creator);
    const importId = await setup.stage(creator, `Title,Image,Board\nOne,moss.jpg,${board}`, zip);
    await setup.run(importId);
    expect((await setup.review(creator, importId)).counts.problems).toBe(0);
  });

  test.each([
    ["a path that leads out", { "../../moss.jpg": strToU8("x") }, /unsafe paths/],
    ["no image", { "notes.txt": strToU8("x") }, /no images/],
    ["a bomb", { "moss.jpg": new Uint8Array(31_000_000) }, /too large when unpacked/],
    ["two of a name", { "a/moss.jpg": strToU8("x"), "b/moss.jpg": strToU8("y") }, /same name/],
  ])("refuses a ZIP file with %s and stores nothing", async (_, files, text) => {
    const creator = await setup.insertCreator();
    const zip = zipSync(files as Record<string, Uint8Array>);
    await expect(setup.stage(creator, "Title,Image\nOne,moss.jpg", zip)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(text),
      fields: { images: [expect.stringMatching(text)] },
    });
    expect(await creator.ctx.db.$count(pinImports, eq(pinImports.userId, creator.userId))).toBe(0);
  });

  test("names why an image can't be fetched: a login, a page, not public, gone, no image, too many redirects", async () => {
    const creator = await setup.insertCreator();
    const page = setup.page((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>"),
    );
    const text = setup.page((_request, response) => response.writeHead(200).end("not an image"));
    const loop = setup.page(200);
    setup.change(loop, { to: loop });
    const secret = setup.page(403);
    const urls = [secret, page, "http://inside.test/a.jpg", "http://127.0.0.1/a.jpg", setup.page(404), text, loop];
    const inside = setup.page({ to: "http://inside.test/a.jpg" });
    const importId = await setup.stage(
      creator,
      `Title,Image\n${[...urls, inside].map((url) => `A,${url}`).join("\n")}`,
    );
    await setup.run(importId);
    const seen = await setup.review(creator, importId);
    const texts = seen.rows.map(({ problems }) => problems.find(({ field }) => field === "image")?.text);
    const expected = [
      /may need a login/,
      /web page/,
      /isn't public/,
      /isn't public/,
      /anymore/,
      /isn't an image/,
      /too many/,
      /isn't public/,
    ];
    for (const [at, pattern] of expected.entries()) expect(texts[at]).toMatch(pattern);
    setup.change(secret, (_request, response) => response.writeHead(200).end());
    await retryImages(creator.ctx, { importId });
    await setup.run(importId);
    expect((await setup.review(creator, importId)).rows[0]?.problems.at(-1)?.text).toMatch(/empty/);
  });

  test("fetches an image once for all rows that name it", async () => {
    const creator = await setup.insertCreator();
    const url = setup.imageUrl(await photo());
    const importId = await setup.stage(creator, `Title,Image\n${`Moss,${url}\n`.repeat(30)}`);
    await setup.run(importId);
    expect(setup.visits(url)).toBe(1);
    expect((await setup.review(creator, importId)).counts.images_waiting).toBe(0);
  });
});

describe("killed anywhere, an import resumes or vanishes whole", () => {
  test.each(["put", "update", "transaction"] as const)("killed at its %s, then resumed by the sweep", async (where) => {
    const creator = await setup.insertCreator();
    const importId = await reviewed(creator, ["One", "Two", "Three"]);
    await setup.confirm(creator, importId);
    const requested = importRequested.parse({ importId });
    // Images are fetched again, so that the storage can fail too.
    await creator.ctx.db.update(pinImportRows).set({ imageDone: null }).where(eq(pinImportRows.importId, importId));
    const dying = dyingAt(setup.job(), where);
    const run = async () => {
      await fetchImages(where === "transaction" ? setup.job() : dying, requested);
      await createImportedPins(dying, requested);
    };
    await expect(run()).rejects.toThrow("killed");
    expect(await setup.pinsOf(creator)).toEqual([]);
    await setup.moveClock(3 * MINUTE_MS);
    const before = setup.harness.sentEvents.length;
    expect((await sweepImports(setup.job())).sent).toBeGreaterThanOrEqual(1);
    const events = setup.harness.sentEvents.slice(before).filter(({ name }) => name === "pins/import.requested");
    expect(events.map(({ data }) => data)).toContainEqual({ importId });
    expect(await setup.run(importId)).toBe("created");
    expect(await titlesOf(creator)).toEqual(["One", "Two", "Three"]);
  });

  test("killed in the middle of its transaction, no pin is visible, and two runs at once create the pins once", async () => {
    const creator = await setup.insertCreator();
    const importId = await reviewed(creator, ["One", "Two"]);
    await setup.confirm(creator, importId);
    const requested = importRequested.parse({ importId });
    // The row can't be created any more, which is found out after others were prepared.
    const last = and(eq(pinImportRows.importId, importId), eq(pinImportRows.number, 3));
    const [kept] = await creator.ctx.db.select().from(pinImportRows).where(last);
    await creator.ctx.db.update(pinImportRows).set({ imageKey: null }).where(last);
    expect(await createImportedPins(setup.job(), requested)).toEqual({ kind: "refused" });
    expect(await setup.pinsOf(creator)).toEqual([]);
    await creator.ctx.db.update(pinImportRows).set({ imageKey: kept?.imageKey }).where(last);
    await setup.confirm(creator, importId);
    const results = await Promise.all([
      createImportedPins(setup.job(), requested),
      createImportedPins(setup.job("other"), requested),
      createImportedPins(setup.job(), requested),
    ]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(["created", "nothing", "nothing"]);
    expect(await titlesOf(creator)).toEqual(["One", "Two"]);
    expect(await setup.importOf(importId)).toMatchObject({ status: "done", drafts: 2, scheduled: 0 });
  });

  test("a change after the user looked is not confirmed with it, and a confirmed import can't be changed", async () => {
    const creator = await setup.insertCreator();
    const importId = await reviewed(creator, ["One"]);
    const { db } = creator.ctx;
    const change = () => fixRow(creator.ctx, { importId, number: 2, fixes: { title: "Two" } });
    const transaction = async (work: Parameters<typeof db.transaction>[0]) => {
      await change();
      return db.transaction(work);
    };
    const slow = new Proxy(db, { get: (of, name) => (name === "transaction" ? transaction : Reflect.get(of, name)) });
    const { version, time_zone: timeZone } = await setup.review(creator, importId);
    // A lost run that is started again changes nothing.
    await db
      .update(pinImports)
      .set({ wakeAt: setup.harness.now() })
      .where(eq(pinImports.id, importId as never));
    await setup.moveClock(MINUTE_MS);
    await sweepImports(setup.job());
    expect((await setup.review(creator, importId)).version).toBe(version);
    const confirm = (input: object, ctx = creator.ctx) => confirmImport(ctx, { importId, version, timeZone, ...input });
    const changed = { code: "wrong_state", message: expect.stringContaining("changed after you opened it") };
    await expect(confirm({}, { ...creator.ctx, db: slow })).rejects.toMatchObject(changed);
    // Another tab still shows the rows as they were, or in another time zone.
    await expect(confirm({})).rejects.toMatchObject(changed);
    await expect(confirm({ version: version + 1, timeZone: "Asia/Tokyo" })).rejects.toMatchObject(changed);
    await setup.confirm(creator, importId);
    const late = { importId, number: 2, fixes: { title: "Late" } };
    await expect(fixRow(creator.ctx, late)).rejects.toMatchObject({ code: "wrong_state" });
    await expect(discardImport(creator.ctx, { importId })).rejects.toMatchObject({ code: "wrong_state" });
    const next = setup.stage(creator, "Title,Image\nOne,a.jpg");
    await expect(next).rejects.toMatchObject({ code: "wrong_state" });
  });
});

describe("what others may see and what stays", () => {
  test("another user's import, account, and board are not found", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const importId = await reviewed(creator, ["One"]);
    const calls = [
      () => readImport(stranger.ctx, { importId, filter: "all", page: 0 }),
      () => fixRow(stranger.ctx, { importId, number: 2, fixes: { title: "Mine" } }),
      () => mapColumns(stranger.ctx, { importId, mapping: {} }),
      () => chooseRows(stranger.ctx, { importId, numbers: "all", isChosen: false }),
      () => createImportBoard(stranger.ctx, { importId, name: "Mine" }),
      () => confirmImport(stranger.ctx, { importId, version: 0, timeZone: "UTC" }),
      () => discardImport(stranger.ctx, { importId }),
      () => setup.stage({ ...creator, ctx: stranger.ctx }, "Title,Image\nOne,a.jpg"),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "not_found" });
    const other = await setup.stage(stranger, `Title,Image,Board ID\nOne,a.jpg,${creator.boardId}`);
    expect((await setup.review(stranger, other)).rows[0]?.problems.map(({ field }) => field)).toContain("board");
  });

  test("columns are remembered for the account", async () => {
    const creator = await setup.insertCreator();
    const first = await setup.stage(creator, "Caption,Photo\nOne,a.jpg");
    await mapColumns(creator.ctx, { importId: first, mapping: { title: 0, image: 1 } });
    const second = await setup.stage(creator, "Photo,Caption\na.jpg,One");
    expect((await setup.review(creator, second)).mapping).toEqual({ title: 1, image: 0 });
    expect(await setup.importOf(first)).toBeUndefined();
  });

  test("goes with its account, after three days, and with its user: rows, images, and files", async () => {
    const creator = await setup.insertCreator();
    const board = await setup.boardName(creator);
    const zip = zipSync({ "moss.jpg": new Uint8Array(await photo()) });
    const stage = () => setup.stage(creator, `Title,Image,Board\nOne,moss.jpg,${board}`, zip);
    const keysOf = async (importId: string) => {
      const { db } = creator.ctx;
      const files = await db.select().from(pinImportFiles).where(eq(pinImportFiles.importId, importId));
      const rows = await db.select().from(pinImportRows).where(eq(pinImportRows.importId, importId));
      return [...files.map(({ key }) => key), ...rows.flatMap(({ imageKey }) => imageKey ?? [])];
    };
    const left = async (keys: readonly string[]) =>
      (await Promise.all(keys.map((key) => creator.ctx.storage.has(key)))).filter(Boolean).length;
    const old = await stage();
    await setup.run(old);
    const oldKeys = await keysOf(old);
    expect([oldKeys.length, await left(oldKeys)]).toEqual([2, 2]);
    await setup.harness.later(3 * DAY_MS + MINUTE_MS, async () => {
      await RETENTION_RULES.imports(setup.job());
      await purgeImages(setup.job());
    });
    expect([await setup.importOf(old), await left(oldKeys)]).toEqual([undefined, 0]);

    const erased = await stage();
    await setup.run(erased);
    const keys = await keysOf(erased);
    await leave(creator);
    expect(await setup.run(erased)).toBe("gone");
    await erase(setup, creator);
    expect([await setup.importOf(erased), keys.length, await left(keys)]).toEqual([undefined, 2, 0]);
    expect(await creator.ctx.db.$count(orphanedImages, eq(orphanedImages.erasedUserId, creator.userId))).toBe(0);
  });

  test("creates nothing for an account that was removed meanwhile", async () => {
    const creator = await setup.insertCreator();
    const importId = await reviewed(creator, ["One"]);
    await setup.confirm(creator, importId);
    await removeAccount(creator.ctx, { accountId: creator.account.id });
    expect(await setup.run(importId)).toBe("nothing");
    expect([await setup.importOf(importId), await setup.pinsOf(creator)]).toEqual([undefined, []]);
  });
});
