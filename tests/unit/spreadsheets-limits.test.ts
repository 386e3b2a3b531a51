import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROWS_MAX, SHEET_FAULTS } from "#lib/features/spreadsheets/constants.ts";
import type { SheetReading } from "#lib/features/spreadsheets/engine/reading.ts";
import { readSheet } from "#lib/features/spreadsheets/sheet-thread.ts";

const fileOf = (bytes: Uint8Array | string): string => {
  const folder = mkdtempSync(join(tmpdir(), "sheet-limits-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "file");
  writeFileSync(path, bytes);
  return path;
};

const csvOf = (rows: number): string =>
  ["Title,Image", ...Array.from({ length: rows }, (_, n) => `Moss ${n},${n}.jpg`)].join("\r\n");

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Written as text, since the library would need longer for many rows than the reader does. */
const xlsxOf = (rows: number): Uint8Array => {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const lines = Array.from({ length: rows }, (_, n) => `<row>${cell(`Moss ${n}`)}${cell(`${n * 7_919}.jpg`)}</row>`);
  const parts = {
    "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Pins" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": `<worksheet xmlns="${MAIN}"><sheetData><row>${cell("Title")}${cell("Image")}</row>${lines.join("")}</sheetData></worksheet>`,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
};

const rowsOf = (reading: SheetReading): number | string =>
  reading.kind === "read" ? reading.sheet.rows.length : SHEET_FAULTS[reading.fault];

/** Of the whole process, its threads included, in megabytes. */
const peakMb = (): number => process.resourceUsage().maxRSS / 1024;

/** For this sheet, which has 13 MB when unpacked. */
const GROWTH_MAX_MB = 250;

describe("the limit of rows", () => {
  test.each([
    ["CSV", csvOf],
    ["XLSX", xlsxOf],
  ])("%s: 5,000 are read, and one more is refused with a sentence", async (_, sheetOf) => {
    expect(rowsOf(await readSheet(fileOf(sheetOf(ROWS_MAX))))).toBe(5_000);
    const refusal = "Spreadsheets can have up to 5,000 rows. Split this one and import each part separately.";
    expect(rowsOf(await readSheet(fileOf(sheetOf(ROWS_MAX + 1))))).toBe(refusal);
  });

  test("an XLSX file with 100,000 rows is refused soon, and with bounded memory", async () => {
    const path = fileOf(xlsxOf(100_000));
    const before = peakMb();
    // Half of the time that a sheet has; then the sentence would be another one.
    expect(rowsOf(await readSheet(path, 15_000))).toBe(SHEET_FAULTS.too_many_rows);
    expect(peakMb() - before).toBeLessThan(GROWTH_MAX_MB);
  });
});

describe("the limit of time", () => {
  test("a thread that takes longer is stopped with a sentence, and makes room for the next ones", async () => {
    const path = fileOf(csvOf(10));
    // A thread needs longer than this only to start.
    const slow = await Promise.all(Array.from({ length: 4 }, () => readSheet(path, 1)));
    const refusal = "This file took too long to read. Save it as CSV and try again.";
    expect(slow.map(rowsOf)).toEqual(Array.from({ length: 4 }, () => refusal));
    expect(rowsOf(await readSheet(path))).toBe(10);
  });
});
