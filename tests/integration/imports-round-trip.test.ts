import { text } from "node:stream/consumers";
import { parse } from "csv-parse/sync";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { createSection } from "#lib/features/accounts/accounts.ts";
import type { ExportFormat } from "#lib/features/spreadsheets/constants.ts";
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
    await insert(creator, [{ title: "One" }, { title: "Two", boardSectionId: "404" }]);
    const { bytes } = await download(creator, "csv");
    const importId = await setup.stage(creator, bytes);
    await setup.run(importId);
    await expect(setup.confirm(creator, importId)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(/Row 3: This board has no such section/),
    });
    expect(await setup.pinsOf(creator)).toHaveLength(2);
  });

  test("neutralizes every cell that a spreadsheet would run", async () => {
    const creator = await setup.insertCreator();
    await insert(creator, HARD);
    const { bytes } = await download(creator, "csv");
    const cells: string[][] = parse(Buffer.from(bytes), { bom: true });
    expect(cells.flat().filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([]);
    expect(cells[1]?.[0]).toBe("'=SUM(A1:A9)");
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
