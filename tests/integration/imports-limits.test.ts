import { text } from "node:stream/consumers";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { IMAGE_BYTES_MAX } from "#lib/features/pins/constants.ts";
import { type ExportFormat, IMAGE_TEXTS, SHEET_FAULTS } from "#lib/features/spreadsheets/constants.ts";
import { exportPins } from "#lib/features/spreadsheets/exports.ts";
import { photo } from "#tests/support/sample-images.ts";
import { importsSetup } from "./imports-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const setup = importsSetup();

const titles = (count: number): string => `Title\n${Array.from({ length: count }, (_, n) => `Moss ${n}`).join("\n")}`;

test("5,000 rows are stored and reviewed; one more is refused, and the import before stays", async () => {
  const creator = await setup.insertCreator();
  const importId = await setup.stage(creator, titles(5_000));
  const seen = await setup.review(creator, importId);
  expect([seen.counts.rows, seen.counts.chosen, seen.pages]).toEqual([5_000, 5_000, 100]);
  expect(seen.rows[0]).toMatchObject({ number: 2, values: { title: "Moss 0" } });
  const message = SHEET_FAULTS.too_many_rows;
  const refusal = { code: "invalid", message, fields: { sheet: [message] } };
  await expect(setup.stage(creator, titles(5_001))).rejects.toMatchObject(refusal);
  expect((await setup.importOf(importId))?.status).toBe("review");
});

test("an image above 32 MB is a problem of its row, whether the site says so or only sends it", async () => {
  const creator = await setup.insertCreator();
  const megabyte = Buffer.alloc(1_000_000, 120);
  let sent = 0;
  const announced = setup.page((_request, response) => {
    response.writeHead(200, { "content-type": "image/jpeg", "content-length": IMAGE_BYTES_MAX + 1 });
    response.flushHeaders();
  });
  const endless = setup.page((_request, response) => {
    response.writeHead(200, { "content-type": "image/jpeg" });
    const more = () => {
      for (let isFree = true; isFree && !response.destroyed; sent += 1) isFree = response.write(megabyte);
    };
    response.on("drain", more);
    more();
  });
  const fine = setup.imageUrl(await photo());
  const rows = [announced, endless, fine].map((url, n) => `Moss ${n},${url}`);
  const importId = await setup.stage(creator, ["Title,Image", ...rows].join("\n"));
  await setup.run(importId);
  const { rows: seen, counts } = await setup.review(creator, importId);
  const tooLarge = { field: "image", text: IMAGE_TEXTS.too_large };
  expect(seen.map(({ problems }) => problems.filter(({ field }) => field === "image"))).toEqual([
    [tooLarge],
    [tooLarge],
    [],
  ]);
  expect([counts.images_failed, seen[2]?.image_state]).toEqual([2, "ready"]);
  // What the sockets hold comes on top.
  expect(sent).toBeLessThan(IMAGE_BYTES_MAX / 1_000_000 + 20);
});

test("Pinterest's bulk format with 500-character descriptions and without publish dates becomes drafts", async () => {
  const creator = await setup.insertCreator();
  const image = setup.imageUrl(await photo());
  const board = await setup.boardName(creator);
  const header = "Title,Media URL,Pinterest board,Thumbnail,Description,Link,Publish date,Keywords";
  const description = `${"Moss grows, slowly. ".repeat(24)}${"y".repeat(20)}`;
  expect(description).toHaveLength(500);
  const lines = [1, 2].map((n) => `Moss ${n},${image},${board},,"${description}",https://example.com/,,"moss, garden"`);
  const importId = await setup.stage(creator, `\ufeff${[header, ...lines].join("\r\n")}\r\n`);
  await setup.run(importId);
  const seen = await setup.review(creator, importId);
  expect(seen).toMatchObject({ format: "pinterest", counts: { rows: 2, problems: 0, drafts: 2, scheduled: 0 } });
  await setup.confirm(creator, importId);
  expect(await setup.run(importId)).toBe("created");
  const created = await setup.pinsOf(creator);
  expect(created.map((pin) => [pin.status, pin.scheduledAt, pin.description, pin.keyword])).toEqual(
    [1, 2].map(() => ["draft", null, description, "moss, garden"]),
  );
});

const exported = async (creator: Creator, format: ExportFormat) => {
  const { content } = await exportPins(creator.ctx, { accountId: creator.account.id, status: "published", format });
  return content instanceof Uint8Array ? content : Buffer.from(await text(content));
};

test.each(["csv", "xlsx", "pinterest"] as const)(
  "published pins in a %s export have no date that would schedule them again",
  async (format) => {
    const creator = await setup.insertCreator();
    const imageKey = `pins/${creator.account.id.replaceAll("_", "")}.jpg`;
    await creator.ctx.storage.put(imageKey, await photo());
    const now = setup.harness.now();
    // It went out early, so that its planned time is still ahead.
    const times = { publishedAt: addMs(now, -DAY_MS), scheduledAt: addMs(now, DAY_MS) };
    await creator.ctx.db.insert(pins).values({
      ...{ id: creator.ctx.newId("pin"), userId: creator.userId, accountId: creator.account.id, imageKey, ...times },
      ...{ boardId: creator.boardId, source: "manual", title: "Out", status: "published", scheduleGeneration: 1 },
      ...{ pinterestPinId: `8${creator.account.id}`, createdAt: now, updatedAt: now },
    });
    const bytes = await exported(creator, format);
    if (format !== "xlsx") {
      const [row]: Record<string, string>[] = parse(Buffer.from(bytes), { bom: true, columns: true });
      expect([row?.Title, row?.["Scheduled for"] ?? row?.["Publish date"]]).toEqual(["Out", ""]);
    }
    const importId = await setup.stage(creator, bytes);
    await setup.run(importId);
    const { counts, rows } = await setup.review(creator, importId);
    expect(counts).toMatchObject({ rows: 1, problems: 0, drafts: 1, scheduled: 0 });
    expect(rows[0]?.scheduled_at).toBeNull();
  },
);
