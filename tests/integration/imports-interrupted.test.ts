import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DatabaseHandle, openDatabase } from "#db/client.ts";
import { pinImportRows, pinImports } from "#db/schema/imports.ts";
import type { FullCtx } from "#lib/context.ts";
import { chooseRows, discardImport } from "#lib/features/spreadsheets/review.ts";
import { fc } from "#tests/support/properties.ts";
import { photo } from "#tests/support/sample-images.ts";
import { startWireProxy, type WireProxy } from "#tests/support/wire-proxy.ts";
import { importsSetup } from "./imports-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const setup = importsSetup();

let proxy: WireProxy;
let handle: DatabaseHandle;
beforeAll(async () => {
  proxy = await startWireProxy(setup.database.url);
  handle = openDatabase(proxy.url, 4);
});
afterAll(async () => {
  await handle.close();
  await proxy.close();
});

/** The same context on connections that can be cut. */
const cuttable = (ctx: FullCtx): FullCtx => ({ ...ctx, db: handle.db });

/** Rows that can become pins, and rows with one problem each. */
const KINDS = ["draft", "scheduled", "untitled", "boardless", "badly_linked", "imageless"] as const;
const SHEETS = 24;
/** Of a confirmation and a run; a cut after the last one comes too late. */
const PACKETS = 70;
const STAGING_PACKETS = 20;
const COMMITS = 5;

const row = fc.record({
  kind: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...KINDS.slice(0, 2)) }, fc.constantFrom(...KINDS.slice(2))),
  isLeftOut: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
});
type Row = typeof row extends fc.Arbitrary<infer R> ? R : never;

const cutAt = (text: string, max: number) =>
  fc.record({
    ...{ text: fc.constant(text), after: fc.nat(max) },
    when: fc.constantFrom("before" as const, "answered" as const),
  });
const cut = fc.oneof({ weight: 3, arbitrary: cutAt("", PACKETS) }, cutAt("commit", COMMITS));
type Cut = typeof cut extends fc.Arbitrary<infer C> ? C : never;

const sheets = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 12 }),
  staging: fc.option(cutAt("", STAGING_PACKETS), { freq: 1 }),
  cuts: fc.array(cut, { minLength: 3, maxLength: 6 }),
});

const isGood = ({ kind }: Row): boolean => kind === "draft" || kind === "scheduled";

interface Site {
  creator: Creator;
  image: string;
  board: string;
}

const lineOf = ({ kind }: Row, title: string, { image, board }: Site): string =>
  [
    kind === "untitled" ? "" : title,
    kind === "imageless" ? "" : image,
    kind === "boardless" ? "Nowhere" : `"${board}"`,
    ...["", `"A text,\nof two lines"`, kind === "badly_linked" ? "ftp:moss" : ""],
    ...[kind === "scheduled" ? new Date(setup.harness.now().getTime() + 3_600_000).toISOString() : "", ""],
  ].join(",");

const HEADER = "Title,Media URL,Pinterest board,Thumbnail,Description,Link,Publish date,Keywords";

/** Cuts a connection in the middle of some work. @returns whether it was cut before the work was done */
const interrupt = async ({ text, after, when }: Cut, work: () => Promise<unknown>): Promise<boolean> => {
  proxy.cutAt(text, when, after);
  const [end] = await Promise.allSettled([work()]);
  const isCut = !proxy.release();
  if (end.status === "rejected" && !isCut) throw end.reason;
  return isCut;
};

const rowsOf = async (importId: string): Promise<number> =>
  setup.job().db.$count(pinImportRows, eq(pinImportRows.importId, importId));

/** All rows of a sheet or none are staged, wherever the connection was cut. */
const stageInterrupted = async ({ creator }: Site, at: Cut, sheet: string, rows: number): Promise<void> => {
  await interrupt(at, () => setup.stage({ ...creator, ctx: cuttable(creator.ctx) }, sheet));
  const open = await creator.ctx.db.select().from(pinImports).where(eq(pinImports.status, "review"));
  for (const { id } of open) expect(await rowsOf(id)).toBe(rows);
};

/** What a sheet is to become: the titles of its pins, which no other sheet has. */
interface Sheet {
  importId: string;
  chosen: string[];
  made: () => Promise<string[]>;
}

/** Stages a sheet and leaves out what can't be created, which was refused before. Null when nothing is left. */
const stage = async (site: Site, rows: readonly Row[], name: string, cutAtFirst: Cut | null): Promise<Sheet | null> => {
  const { creator } = site;
  const sheet = [HEADER, ...rows.map((one, at) => lineOf(one, `"${name} ${at}"`, site))].join("\n");
  if (cutAtFirst) await stageInterrupted(site, cutAtFirst, sheet, rows.length);
  const importId = await setup.stage(creator, sheet);
  const leaveOut = async (isOut: (one: Row) => boolean) => {
    const numbers = rows.flatMap((one, at) => (isOut(one) ? [at + 2] : []));
    if (numbers.length > 0) await chooseRows(creator.ctx, { importId, numbers, isChosen: false });
  };
  await leaveOut(({ isLeftOut }) => isLeftOut);
  if (rows.some((one) => !one.isLeftOut && !isGood(one))) {
    await expect(setup.confirm(creator, importId)).rejects.toMatchObject({ code: "invalid" });
    await leaveOut((one) => !isGood(one));
  }
  const chosen = rows.flatMap((one, at) => (isGood(one) && !one.isLeftOut ? [`${name} ${at}`] : [])).toSorted();
  const made = async () =>
    (await setup.pinsOf(creator)).flatMap(({ title }) => (title.startsWith(name) ? [title] : [])).toSorted();
  if (chosen.length > 0) return { importId, chosen, made };
  await discardImport(creator.ctx, { importId });
  return null;
};

/** Confirms and runs an import as far as the cut. @returns what came of it; null when it was done before */
const cutOff = async (
  { creator }: Site,
  { importId, chosen, made }: Sheet,
  at: Cut,
): Promise<"all" | "none" | null> => {
  const isCut = await interrupt(at, async () => {
    const isInReview = (await setup.importOf(importId))?.status === "review";
    if (isInReview) await setup.confirm({ ...creator, ctx: cuttable(creator.ctx) }, importId);
    await setup.run(importId, cuttable(setup.job()));
  });
  const isDone = (await setup.importOf(importId))?.status === "done";
  expect(await made()).toEqual(isDone ? chosen : []);
  return isCut ? (isDone ? "all" : "none") : null;
};

test("random sheets that are cut off anywhere become all of their chosen pins or none, and each once", async () => {
  const creator = await setup.insertCreator();
  const site = { creator, image: setup.imageUrl(await photo(300, 200)), board: await setup.boardName(creator) };
  const ends = { all: 0, none: 0 };
  let count = 0;
  const property = fc.asyncProperty(sheets, async ({ rows, staging, cuts }) => {
    count += 1;
    const sheet = await stage(site, rows, `Sheet ${count}, row`, staging);
    if (!sheet) return;
    const { importId, chosen, made } = sheet;
    for (const at of cuts) {
      const end = await cutOff(site, sheet, at);
      if (end) ends[end] += 1;
      if (end !== "none") break;
    }
    if ((await setup.importOf(importId))?.status === "review") await setup.confirm(creator, importId);
    // The engine may start a run twice.
    await Promise.all([setup.run(importId), setup.run(importId, setup.job("other"))]);
    expect(await made()).toEqual(chosen);
    expect([(await setup.importOf(importId))?.status, await rowsOf(importId)]).toEqual(["done", 0]);
  });
  // All sheets are the same user's, so one that failed would make smaller ones fail too.
  await fc.assert(property, { numRuns: SHEETS, endOnFailure: true });
  // Else the cuts came too early or too late to mean anything.
  expect(ends.none).toBeGreaterThan(SHEETS / 2);
  expect(ends.all).toBeGreaterThan(0);
}, 120_000);
