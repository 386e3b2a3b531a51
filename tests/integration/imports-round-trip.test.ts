import { text } from "node:stream/consumers";
import { parse } from "csv-parse/sync";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { pinMetrics } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { createSection } from "#lib/features/accounts/accounts.ts";
import { type ExportFormat, TEXTS } from "#lib/features/spreadsheets/constants.ts";
import { exportPins } from "#lib/features/spreadsheets/exports.ts";
import { photo } from "#tests/support/sample-images.ts";
import { importsSetup } from "./imports-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const setup = importsSetup();

type PinRow = typeof pins.$inferInsert;

/** Inserts pins with a stored image, the first one newest. */
const insert = async (creator: Creator, wanted: readonly Partial<PinRow>[]): Promise<void> => {
  const imageKey = `pins/${creator.account.id.replaceAll("_", "")}.jpg`;
  await creator.ctx.storage.put(imageKey, await photo());
  const now = setup.harness.now();
  const owner = { userId: creator.userId, accountId: creator.account.id, boardId: creator.boardId };
  await creator.ctx.db.insert(pins).values(
    wanted.map((pin, at) => {
      const createdAt = addMs(now, -at);
      const facts = { id: creator.ctx.newId("pin"), source: "manual", status: "draft", createdAt } as const;
      return { ...owner, ...facts, updatedAt: createdAt, title: `Pin ${at}`, imageKey, ...pin };
    }),
  );
};

const download = async (creator: Creator, format: ExportFormat, status: "all" | "draft" = "all") => {
  const { content, fileName } = await exportPins(creator.ctx, { accountId: creator.account.id, status, format });
  const bytes = content instanceof Uint8Array ? content : Buffer.from(await text(content));
  return { bytes, fileName };
};

const HARD = [
  { title: "=SUM(A1:A9)", description: '\'@home, "quoted"\nsecond line', altText: "-5°", keyword: "'=x, y" },
  { title: "Émile 🌿 constructor", source: "ai" as const, link: "https://example.com/?a=1&b=+2" },
  { title: "constructor", description: "+1", altText: " ".repeat(3) },
];

const contentOf = (pin: typeof pins.$inferSelect) => {
  const { title, description, link, altText, keyword, boardId, boardSectionId, source, status, scheduledAt } = pin;
  return {
    title,
    description: description.trim(),
    link,
    altText: altText.trim(),
    keyword,
    boardId,
    boardSectionId,
    source,
    status,
    scheduledAt,
  };
};

describe("export and import", () => {
  test.each(["csv", "xlsx"] as const)(
    "a complete %s export gives the same pins again, images included",
    async (format) => {
      const creator = await setup.insertCreator();
      const scheduledAt = addMs(setup.harness.now(), 3 * DAY_MS + 12_345);
      const { account, boardId } = creator;
      const section = await createSection(creator.ctx, { accountId: account.id, boardId, name: "Fall" });
      const schedule = { status: "scheduled" as const, scheduledAt, scheduleGeneration: 1 };
      const timed = { title: "Timed", boardSectionId: section.id, ...schedule };
      await insert(creator, [...HARD, timed]);
      const before = await setup.pinsOf(creator);
      const { bytes } = await download(creator, format);
      const importId = await setup.stage(creator, bytes);
      await setup.run(importId);
      const seen = await setup.review(creator, importId);
      expect(seen).toMatchObject({
        format: "own",
        is_scheduled: true,
        counts: { problems: 0, drafts: 3, scheduled: 1 },
      });
      await setup.confirm(creator, importId);
      expect(await setup.run(importId)).toBe("created");
      const known = new Set(before.map(({ id }) => id));
      const made = (await setup.pinsOf(creator)).filter(({ id }) => !known.has(id));
      expect(made.map(contentOf)).toEqual(before.map(contentOf));
      const images = await Promise.all([before[0], made[0]].map((pin) => creator.ctx.storage.get(pin?.imageKey ?? "")));
      expect(images[1]).toEqual(images[0]);
      expect(made[0]?.imageKey).not.toBe(before[0]?.imageKey);
    },
  );

  test("a section that its board lacks is refused by row before anything is created", async () => {
    const creator = await setup.insertCreator();
    await insert(creator, [{ title: "One" }, ...["Two", "Three"].map((title) => ({ title, boardSectionId: "404" }))]);
    const { bytes } = await download(creator, "csv");
    const importId = await setup.stage(creator, bytes);
    await setup.run(importId);
    const wrong = [
      { field: "boardSectionId", text: "This section isn't on the selected board. Choose another section." },
    ];
    expect((await setup.review(creator, importId)).rows.map(({ problems }) => problems)).toEqual([[], wrong, wrong]);
    await expect(setup.confirm(creator, importId)).rejects.toMatchObject({ code: "invalid" });
    expect(await setup.pinsOf(creator)).toHaveLength(3);
  });

  test("a published pin has its results, and published and failed pins come back as drafts", async () => {
    const creator = await setup.insertCreator();
    const now = setup.harness.now();
    const publishedAt = addMs(now, -3 * DAY_MS);
    await insert(creator, [
      { title: "Out", status: "published", publishedAt, pinterestPinId: `9${creator.account.id}` },
      { title: "Refused", status: "failed", reason: "This board is gone." },
    ]);
    const [, out] = await setup.pinsOf(creator);
    const days = { firstDay: publishedAt.toISOString().slice(0, 10), readyThrough: now.toISOString().slice(0, 10) };
    await creator.ctx.db.insert(pinMetrics).values({
      ...{ pinId: out?.id ?? "", accountId: creator.account.id, state: "ready", fetchedAt: now, ...days },
      ...{ impressions: [10, 40, 90], pinClicks: [1, 4, 9], outboundClicks: [0, 1, 3], saves: [2, 2, 5] },
    });
    const { bytes } = await download(creator, "csv");
    const cells: Record<string, string>[] = parse(Buffer.from(bytes), { bom: true, columns: true });
    const results = ["Title", "Status", "Impressions", "Pin clicks", "Outbound clicks", "Saves"];
    expect(cells.map((row) => results.map((header) => row[header]))).toEqual([
      ["Out", "published", "90", "9", "3", "5"],
      ["Refused", "failed", "", "", "", ""],
    ]);
    const importId = await setup.stage(creator, bytes);
    await setup.run(importId);
    expect((await setup.review(creator, importId)).counts).toMatchObject({ problems: 0, drafts: 2, scheduled: 0 });
    await setup.confirm(creator, importId);
    expect(await setup.run(importId)).toBe("created");
    const drafts = (await setup.pinsOf(creator)).filter(({ status }) => status === "draft");
    expect(
      drafts.map(({ title, publishedAt: at, pinterestPinId, reason }) => [title, at, pinterestPinId, reason]),
    ).toEqual(["Refused", "Out"].map((title) => [title, null, null, null]));
  });

  test("rows of videos and carousels are refused", async () => {
    const creator = await setup.insertCreator();
    await insert(creator, [{ title: "Image" }]);
    const { bytes } = await download(creator, "csv");
    const [header = [], image = []]: string[][] = parse(Buffer.from(bytes), { bom: true });
    const rows = ["video", "carousel"].map((format) => image.with(header.indexOf("Pin format"), format));
    const importId = await setup.stage(creator, [header, image, ...rows].map((row) => row.join("\t")).join("\n"));
    await setup.run(importId);
    const refused = [{ field: "image", text: TEXTS.formatNotImported }];
    expect((await setup.review(creator, importId)).rows.map(({ problems }) => problems)).toEqual([
      [],
      refused,
      refused,
    ]);
  });

  test("neutralizes every cell that a spreadsheet would run", async () => {
    const creator = await setup.insertCreator();
    await insert(creator, HARD);
    const { bytes } = await download(creator, "csv");
    const cells: string[][] = parse(Buffer.from(bytes), { bom: true });
    expect(cells.flat().filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([]);
    expect(cells[1]?.[0]).toBe("'=SUM(A1:A9)");
    const workbook = Object.values(unzipSync((await download(creator, "xlsx")).bytes)).map((part) => strFromU8(part));
    const texts = workbook.flatMap((xml) => [...xml.matchAll(/<t\b[^>]*>([^<]*)<\/t>/g)].map(([, cell = ""]) => cell));
    expect(texts.filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([]);
    expect(texts.filter((cell) => cell.endsWith("=SUM(A1:A9)"))).toEqual([expect.stringMatching(/^('|&apos;|&#39;)=/)]);
    expect(workbook.some((xml) => /<f\b/.test(xml))).toBe(false);
  });

  test("Pinterest's format is split by its rows, its 14 days, and titles that occur twice", async () => {
    const creator = await setup.insertCreator();
    const soon = addMs(setup.harness.now(), DAY_MS);
    const late = addMs(setup.harness.now(), 30 * DAY_MS);
    const scheduled = { status: "scheduled" as const, scheduleGeneration: 1 };
    const many = Array.from({ length: 103 }, (_, at) => ({ title: `Pin ${at}` }));
    await insert(creator, [
      ...many,
      { title: "Pin 1" },
      { ...scheduled, scheduledAt: soon },
      { ...scheduled, scheduledAt: late },
    ]);
    const { bytes, fileName } = await download(creator, "pinterest");
    expect(fileName).toMatch(/^pins-all-.*-pinterest\.zip$/);
    const files = Object.entries(unzipSync(bytes)).map(([name, file]) => ({
      name,
      rows: parse(strFromU8(file)) as string[][],
    }));
    expect(files.map(({ rows }) => rows.length - 1)).toEqual([100, 5, 1]);
    expect(files[2]?.name).toMatch(/^pinterest-03-upload-from-\d{4}-\d{2}-\d{2}\.csv$/);
    for (const { rows } of files) {
      expect(rows[0]?.join()).toBe("Title,Media URL,Pinterest board,Thumbnail,Description,Link,Publish date,Keywords");
      const titles = rows.slice(1).map(([title]) => title);
      expect(new Set(titles).size).toBe(titles.length);
    }
    const drafts = await download(creator, "pinterest", "draft");
    expect(drafts.fileName).toMatch(/zip$/);
  });

  test("another user's account is not found", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const input = { accountId: creator.account.id, status: "all", format: "csv" } as const;
    await expect(exportPins(stranger.ctx, input)).rejects.toMatchObject({ code: "not_found" });
  });
});
