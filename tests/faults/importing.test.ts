import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { and, eq, isNotNull } from "drizzle-orm";
import { zipSync } from "fflate";
import { expect, onTestFinished, test } from "vitest";
import { pinImportRows, pinImports } from "#db/schema/imports.ts";
import { pins } from "#db/schema/pins.ts";
import type { FullCtx } from "#lib/context.ts";
import { RUN_LOST_MS } from "#lib/features/spreadsheets/constants.ts";
import { confirmImport, sweepImports } from "#lib/features/spreadsheets/creation.ts";
import { readImport } from "#lib/features/spreadsheets/review.ts";
import { stageSheet } from "#lib/features/spreadsheets/staging.ts";
import { until } from "#tests/support/poll.ts";
import { photo } from "#tests/support/sample-images.ts";
import { insertCreators } from "./support/creators.ts";
import { productForFile } from "./support/product.ts";

const product = productForFile();

const ROWS = 40;

const fileOf = (bytes: Uint8Array) => {
  const folder = mkdtempSync(join(tmpdir(), "import-fault-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "file");
  writeFileSync(path, bytes);
  return { path, bytes: bytes.byteLength, sha256: "" };
};

/** A confirmed import of 40 rows, each with an image of its own in a ZIP file. */
const confirm = async (ctx: FullCtx, accountId: string, boardId: string): Promise<string> => {
  const image = new Uint8Array(await photo(1_600, 2_400));
  const names = Array.from({ length: ROWS }, (_, at) => `moss-${at}.jpg`);
  const sheet = ["Title,Image,Board ID", ...names.map((name, at) => `Moss ${at},${name},${boardId}`)].join("\n");
  const { importId } = await stageSheet(ctx, {
    accountId,
    fileName: "moss.csv",
    sheet: fileOf(Buffer.from(sheet)),
    images: fileOf(zipSync(Object.fromEntries(names.map((name) => [name, image])), { level: 0 })),
  });
  const { version, time_zone: timeZone } = await readImport(ctx, { importId, filter: "all", page: 0 });
  await confirmImport(ctx, { importId, version, timeZone });
  return importId;
};

test("R-SRV-01 killed in mid-import: the import resumes, no half of it is ever visible, and each row becomes one pin", async () => {
  const [creator] = await insertCreators(product(), 1);
  if (!creator) throw new Error("One was inserted.");
  const { userId, accountId, boardId } = creator;
  const actor = { kind: "user", userId, loginId: product().ctx.newId("login"), address: "" } as const;
  const ctx = { ...product().ctx, actor };
  const importId = await confirm(ctx, accountId, boardId);
  const { db } = product().ctx;
  const stored = () =>
    db.$count(pinImportRows, and(eq(pinImportRows.importId, importId), isNotNull(pinImportRows.imageKey)));
  const made = () => db.$count(pins, eq(pins.accountId, accountId));
  const isMiddle = async () => (await stored()) >= ROWS / 4;
  await until(isMiddle, { deadlineMs: 60_000, everyMs: 20, what: "a quarter of the images" });
  await product().app.kill9("app");
  expect(await stored(), "killed too late to mean anything").toBeLessThan(ROWS);
  expect(await made()).toBe(0);
  await product().app.restart("app");
  await product().passTime(RUN_LOST_MS + 1_000);
  // The product's own sweep may have been faster.
  await sweepImports(product().ctx);
  const isDone = async () => {
    const count = await made();
    expect([0, ROWS]).toContain(count);
    return count === ROWS;
  };
  await until(isDone, { deadlineMs: 120_000, everyMs: 50, what: "all pins" });
  const [ended] = await db.select().from(pinImports).where(eq(pinImports.id, importId));
  expect(ended).toMatchObject({ status: "done", drafts: ROWS });
  expect(await db.$count(pinImportRows, eq(pinImportRows.importId, importId))).toBe(0);
});
