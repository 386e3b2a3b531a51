import { describe, expect, test } from "vitest";
import { createId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { instantOf } from "#lib/core/zoned-time.ts";
import { PINTEREST_AHEAD_DAYS } from "#lib/features/spreadsheets/constants.ts";
import { guessMapping, recognizeFormat, rememberMapping } from "#lib/features/spreadsheets/engine/formats.ts";
import { dateOrderOf, readTime, toZonedText } from "#lib/features/spreadsheets/engine/times.ts";
import { splitForPinterest, uploadDayOf } from "#lib/features/spreadsheets/exports.ts";
import { type PlanFrame, planRow, type StagedRow } from "#lib/features/spreadsheets/planning.ts";
import { progressInput } from "#lib/features/spreadsheets/schema.ts";
import { fc } from "#tests/support/properties.ts";

const PINTEREST = "Title,Media URL,Pinterest board,Thumbnail,Description,Link,Publish date,Keywords".split(",");

describe("columns", () => {
  test("formats are recognized by their names, in any order and case", () => {
    expect(recognizeFormat(PINTEREST.map((name) => name.toUpperCase()).reverse())).toBe("pinterest");
    expect(recognizeFormat(["Image URL", "Description", "Board Name", "Scheduled Time"])).toBe("tailwind");
    expect(recognizeFormat(["Design Title", "Caption", "Scheduled date"])).toBe("canva");
    expect(recognizeFormat(["Title", "Picture"])).toBe("other");
  });

  test("are guessed by name, each used once, and a remembered choice wins", () => {
    const guessed = guessMapping(PINTEREST, {});
    expect(guessed).toEqual({ title: 0, image: 1, board: 2, description: 4, link: 5, publishAt: 6, keyword: 7 });
    const chosen = { title: 4, image: 1, board: 2 };
    const remembered = rememberMapping({}, PINTEREST, chosen);
    expect(guessMapping(PINTEREST, remembered)).toEqual(chosen);
    // Other sheets of the account follow the choice where a name is the same.
    expect(guessMapping(["Description", "Image", "constructor"], remembered)).toEqual({ title: 0, image: 1 });
  });
});

describe("times", () => {
  test.each([
    ["2026-12-01T09:30", "2026-12-01 09:30"],
    ["2026-12-01 09:30:00", "2026-12-01 09:30"],
    ["12/1/2026 3:04 PM", "2026-12-01 15:04"],
    ["13/1/2026 12:00 am", "2026-01-13 00:00"],
    ["1.12.2026, 9:05", "2026-12-01 09:05"],
    ["Dec 1, 2026, 3:04 PM", "2026-12-01 15:04"],
    ["Tuesday, 1 December 2026 at 9 am", "2026-12-01 09:00"],
    ["2026-12-01", "2026-12-01 12:00"],
  ])("%s is %s", (text, expected) => {
    const read = readTime(text, "", "month_first");
    expect(read?.kind === "local" && `${read.localTime.date} ${read.localTime.time}`).toBe(expected);
  });

  test.each(["tomorrow", "2026-02-30 10:00", "2026-12-01 25:00", "13/13/2026", "2026-12-01 10", ""])(
    "%j is refused",
    (text) => expect(readTime(text, "", "month_first")).toBeNull(),
  );

  test("the order of day and month is that of the column", () => {
    expect(dateOrderOf(["3/4/2026", "25/4/2026"])).toBe("day_first");
    expect(dateOrderOf(["3/4/2026", "4/25/2026"])).toBe("month_first");
    expect(dateOrderOf(["4/25/2026", "3/4/2026", "25/4/2026"])).toBe("day_first");
    expect(readTime("3/4/2026", "9:00", "day_first")).toMatchObject({
      localTime: { date: "2026-04-03", time: "09:00" },
    });
  });

  test("an exported instant is read back exactly, in any zone", () => {
    const zones = ["America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Chatham", "UTC"] as const;
    const instants = fc.date({ min: new Date("2026-01-01"), max: new Date("2028-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (at, zone) => {
        expect(readTime(toZonedText(at, zone), "", "month_first")).toEqual({ kind: "instant", at });
      }),
    );
  });
});

type ExportedPin = Parameters<typeof uploadDayOf>[0][number];

/** Only what the split reads. */
const scheduledPin = (title: string, scheduledAt: Date) => ({ title, scheduledAt, status: "scheduled" }) as ExportedPin;

const NOW = new Date("2026-03-01T12:00:00Z");

const frame = (change: Partial<PlanFrame> = {}): PlanFrame => ({
  mapping: { title: 0, image: 1, board: 2, publishAt: 3, link: 4 },
  boards: [
    { id: "1", name: "Moss Garden" },
    { id: "2", name: "Twice" },
    { id: "3", name: "twice" },
  ],
  sections: new Map(),
  files: new Set(["moss.jpg"]),
  timeZone: "America/New_York",
  isScheduled: true,
  dateOrder: "month_first",
  now: NOW,
  ...change,
});

const row = (cells: string[], change: Partial<StagedRow> = {}): StagedRow => ({
  ...{ cells, fixes: {}, imageRef: null, imageDone: null, imageKey: null, imageProblem: null },
  ...change,
});

const URL_CELL = "https://example.com/a.jpg";
const fieldsOf = (cells: string[], change?: Partial<PlanFrame>) =>
  planRow(row(cells), frame(change)).problems.map(({ field }) => field);

describe("a row", () => {
  test("becomes a pin with its board by name and its time in the account's zone", () => {
    const planned = planRow(
      row(["Moss", URL_CELL, " moss  garden ", "2026-04-01 09:00", "https://example.com/"]),
      frame(),
    );
    expect(planned).toMatchObject({
      problems: [],
      pin: { title: "Moss", boardId: "1", source: "manual", scheduledAt: "2026-04-01T13:00:00.000Z" },
    });
    expect(planRow(row(["Moss", "images/MOSS.jpg", "Moss Garden", ""]), frame()).pin?.scheduledAt).toBeNull();
  });

  test("names each field that is wrong", () => {
    expect(fieldsOf(["", "", "", "", ""])).toEqual(["title", "board", "image"]);
    expect(fieldsOf(["x".repeat(101), "fern.jpg", "Unknown", "soon", "ftp://a"])).toEqual([
      ...["title", "link", "board", "image", "publishAt"],
    ]);
    expect(fieldsOf(["Moss", URL_CELL, "Twice", "2026-04-01 09:00"])).toEqual(["board"]);
    expect(fieldsOf(["Moss", URL_CELL, "Moss Garden", "2026-02-01 09:00"])).toEqual(["publishAt"]);
    expect(fieldsOf(["Moss", URL_CELL, "Moss Garden", "2028-02-01 09:00"])).toEqual(["publishAt"]);
    expect(fieldsOf(["Moss", URL_CELL, "Moss Garden", "soon"], { isScheduled: false })).toEqual([]);
    expect(fieldsOf(["Moss", URL_CELL, "Moss Garden", ""], { boards: null })).toEqual(["board"]);
  });

  test("says when clocks change, in both hemispheres", () => {
    const notes = (at: string, timeZone: string) =>
      planRow(row(["Moss", URL_CELL, "Moss Garden", at]), frame({ timeZone })).notes.map(({ text }) => text);
    expect(notes("2026-03-08 02:30", "America/New_York")).toEqual([expect.stringContaining("spring forward")]);
    expect(notes("2026-11-01 01:30", "America/New_York")).toEqual([expect.stringContaining("fall back")]);
    expect(notes("2026-10-04 02:15", "Australia/Lord_Howe")).toEqual([expect.stringContaining("spring forward")]);
    expect(notes("2026-04-05 01:45", "Australia/Lord_Howe")).toEqual([expect.stringContaining("fall back")]);
  });

  test("cuts a long keyword between characters, since half an emoji can't be stored", () => {
    const long = `x${"🌿".repeat(300)}`;
    const cells = ["Moss", URL_CELL, "Moss Garden", long];
    const planned = planRow(row(cells), frame({ mapping: { title: 0, image: 1, board: 2, keyword: 3 } }));
    expect(planned.pin?.keyword).toBe(`x${"🌿".repeat(199)}`);
  });

  test("offers to create a board only if Pinterest takes its name", () => {
    const textOf = (board: string) => planRow(row(["Moss", URL_CELL, board, ""]), frame()).problems[0]?.text;
    expect(textOf("x".repeat(50))).toMatch(/or create it/);
    expect(textOf("x".repeat(51))).toMatch(/too long to create one \(50 characters at most\)/);
  });

  test("follows a fix, and shows why its image failed only while it names that image", () => {
    const failed = { imageRef: URL_CELL, imageDone: URL_CELL, imageProblem: "It may need a login." };
    const cells = ["", URL_CELL, "Moss Garden", ""];
    const problems = planRow(row(cells, failed), frame()).problems;
    expect(problems.at(-1)).toEqual({ field: "image", text: "It may need a login." });
    const fixed = { fixes: { title: "Moss", image: "moss.jpg" }, ...failed, imageRef: "moss.jpg" };
    expect(planRow(row(cells, fixed), frame()).problems).toEqual([]);
  });
});

describe("a file for Pinterest", () => {
  const zones = ["America/New_York", "Australia/Lord_Howe", "Pacific/Chatham", "UTC"] as const;
  const delays = fc.array(fc.integer({ min: 1, max: 60 * DAY_MS }), { minLength: 1, maxLength: 40 });
  const starts = fc.date({ min: new Date("2026-01-01"), max: new Date("2028-01-01"), noInvalidDate: true });

  test("is taken at any time of its day, on which none of its times has passed", () => {
    fc.assert(
      fc.property(starts, delays, fc.constantFrom(...zones), (now, delaysMs, zone) => {
        const own = delaysMs.map((ms, at) => scheduledPin(`Moss ${at}`, addMs(now, ms)));
        for (const { pins } of splitForPinterest(own, now)) {
          const day = uploadDayOf(pins, now, zone);
          const from = day === null ? now : instantOf({ date: day, time: "00:00" }, zone)?.at;
          const aheadMs = pins.map(({ scheduledAt }) => Number(scheduledAt) - Number(from));
          expect(Math.max(...aheadMs)).toBeLessThanOrEqual(PINTEREST_AHEAD_DAYS * DAY_MS);
          expect(Math.min(...aheadMs)).toBeGreaterThan(day === null ? 0 : 22 * HOUR_MS);
        }
      }),
    );
  });
});

test("row numbers that the database can't store are refused", () => {
  const importId = createId("import", new Date());
  const isAccepted = (number: number) => progressInput.safeParse({ importId, numbers: [number] }).success;
  expect([2, 2_147_483_647, 2_147_483_648, 0].map(isAccepted)).toEqual([true, true, false, false]);
});
