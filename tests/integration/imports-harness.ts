import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { onTestFinished } from "vitest";
import { pinImports } from "#db/schema/imports.ts";
import { pins } from "#db/schema/pins.ts";
import type { FullCtx } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import type { UploadedFile } from "#lib/core/images.ts";
import { confirmImport, createImportedPins } from "#lib/features/spreadsheets/creation.ts";
import { checkRowLinks, readImport } from "#lib/features/spreadsheets/review.ts";
import { fetchImages } from "#lib/features/spreadsheets/row-images.ts";
import { importRequested } from "#lib/features/spreadsheets/schema.ts";
import { stageSheet } from "#lib/features/spreadsheets/staging.ts";
import { linksSetup } from "./links-harness.ts";
import type { Creator } from "./publishing-harness.ts";

/** Imports against a site with images, run as in the durable function. */
export const importsSetup = () => {
  const setup = linksSetup();

  /** A received file. */
  const received = (bytes: Uint8Array): UploadedFile => {
    const folder = mkdtempSync(join(tmpdir(), "import-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "file");
    writeFileSync(path, bytes);
    return { path, bytes: bytes.byteLength, sha256: sha256(Buffer.from(bytes).toString("base64")) };
  };

  const imageUrl = (jpeg: Uint8Array): string =>
    setup.page((_request, response) => response.writeHead(200, { "content-type": "image/jpeg" }).end(jpeg));

  const stage = async (creator: Creator, sheet: string | Uint8Array, images: Uint8Array | null = null) => {
    const bytes = typeof sheet === "string" ? Buffer.from(sheet) : sheet;
    const { importId } = await stageSheet(creator.ctx, {
      accountId: creator.account.id,
      fileName: "pins.csv",
      sheet: received(bytes),
      images: images && received(images),
    });
    return importId;
  };

  /** One run of the durable function. */
  const run = async (importId: string, job: FullCtx = setup.job()): Promise<string> => {
    const requested = importRequested.parse({ importId });
    await checkRowLinks(job, requested);
    for (let round = 0; round < 50; round += 1) {
      const fetched = await fetchImages(job, requested);
      if (fetched.kind === "gone") return "gone";
      if (fetched.kind === "more") continue;
      const created = await createImportedPins(job, requested);
      if (created.kind !== "images_left") return created.kind;
    }
    return "never done";
  };

  const review = (creator: Creator, importId: string) => readImport(creator.ctx, { importId, filter: "all", page: 0 });

  /** As a user who looks at it does. */
  const confirm = async (creator: Creator, importId: string): Promise<void> => {
    const { version, time_zone: timeZone } = await review(creator, importId);
    await confirmImport(creator.ctx, { importId, version, timeZone });
  };

  const boardName = async ({ account, boardId }: Creator): Promise<string> =>
    (await setup.pinterest.boardsOf(account.username)).find(({ id }) => id === boardId)?.name ?? "";

  const pinsOf = (creator: Creator) =>
    creator.ctx.db.select().from(pins).where(eq(pins.accountId, creator.account.id)).orderBy(pins.createdAt);

  const importOf = async (importId: string) =>
    (await setup.job().db.select().from(pinImports).where(eq(pinImports.id, importId)))[0];

  return Object.assign(setup, { received, imageUrl, stage, run, review, confirm, boardName, pinsOf, importOf });
};
