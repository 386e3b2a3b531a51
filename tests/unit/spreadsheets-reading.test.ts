import { deflateRawSync } from "node:zlib";
import { utils, write } from "@e965/xlsx";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { neutralize, restoreFormula } from "#lib/core/text.ts";
import {
  decodeText,
  guessDelimiter,
  kindOf,
  readText,
  type SheetReading,
} from "#lib/features/spreadsheets/engine/reading.ts";
import { readSheet } from "#lib/features/spreadsheets/sheet-thread.ts";
import { readWorkbook } from "#lib/features/spreadsheets/workbooks.ts";
import { fc } from "#tests/support/properties.ts";

const tableOf = (reading: SheetReading): string[][] =>
  reading.kind === "read" ? [reading.sheet.headers, ...reading.sheet.rows.map(({ cells }) => cells)] : [];

const faultOf = (reading: SheetReading): string => (reading.kind === "refused" ? reading.fault : "read");

const workbook = (rows: unknown[][]): Buffer => {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), "Pins");
  return write(book, { type: "buffer", bookType: "xlsx" });
};

/** The parts of a small workbook, some of them replaced. */
const zipOf = (parts: Record<string, string>): Buffer =>
  Buffer.from(zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)]))));

describe("delimited text", () => {
  test.each([",", ";", "\t", "|", "^", "~"])("is read with the delimiter %j, quoted line breaks included", (mark) => {
    const text = `Title${mark}Board\r\n"Two\nlines ""quoted"""${mark}Moss\r\n\r\nLast${mark}Fern`;
    expect(guessDelimiter(text)).toBe(mark);
    const reading = readText(text);
    expect(tableOf(reading)).toEqual([
      ["Title", "Board"],
      ['Two\nlines "quoted"', "Moss"],
      ["Last", "Fern"],
    ]);
    // Blank rows are left out, but rows keep their numbers in the sheet.
    expect(reading.kind === "read" && reading.sheet.rows.map(({ number }) => number)).toEqual([2, 4]);
  });

  test("is decoded as UTF-8, UTF-16 with and without a mark, and what Excel writes on Windows", () => {
    const text = "Title,Board\nCafé crème,Été\n";
    const le = Buffer.from(text, "utf16le");
    const be = Buffer.from(le).swap16();
    const files = [
      Buffer.from(text),
      Buffer.from(`\uFEFF${text}`),
      Buffer.concat([Buffer.from([0xff, 0xfe]), le]),
      Buffer.concat([Buffer.from([0xfe, 0xff]), be]),
      le,
      be,
      Buffer.from(text, "latin1"),
    ];
    for (const file of files) expect(tableOf(readText(decodeText(file)))[1]).toEqual(["Café crème", "Été"]);
  });

  test.each([
    ["nothing", "  \n\n", "empty"],
    ["only column names", "Title,Board\n", "no_rows"],
    ["an open quote", 'Title,Board\n"Moss', "broken"],
    ["100,000 rows", `Title,Board\n${"Moss,Fern\n".repeat(100_000)}`, "too_many_rows"],
    ["100 columns", `${"a,".repeat(100)}b\n${"a,".repeat(100)}b\n`, "too_many_columns"],
    ["a long cell", `Title,Board\n${"x".repeat(10_001)},Fern\n`, "cell_too_long"],
    ["another kind of file", "\u0001\u0002PDF", "not_a_sheet"],
  ])("refuses %s", (_, text, fault) => {
    expect(faultOf(readText(text))).toBe(fault);
  });
});

describe("XLSX", () => {
  test("dates become text in the sheet's own time, numbers and texts stay", async () => {
    const rows = [
      ["Title", "Publish date", "Count"],
      ["'=1+1", new Date(Date.UTC(2026, 11, 1, 9, 30)), 12],
    ];
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows, { UTC: true, dateNF: "yyyy-mm-dd hh:mm" }), "Pins");
    const file = write(book, { type: "buffer", bookType: "xlsx" });
    expect(tableOf(await readWorkbook(file))[1]).toEqual(["=1+1", "2026-12-01 09:30", "12"]);
  });

  test("refuses bombs, entities, path tricks, and what is no workbook, each with its sentence", async () => {
    const zeros = "0".repeat(60_000_000);
    expect(faultOf(await readWorkbook(zipOf({ "xl/workbook.xml": zeros })))).toBe("bomb");
    const entities = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><workbook>&d;</workbook>';
    expect(faultOf(await readWorkbook(zipOf({ "xl/workbook.xml": entities })))).toBe("entities");
    expect(faultOf(await readWorkbook(zipOf({ "../../etc/passwd": "x" })))).toBe("bad_path");
    expect(faultOf(await readWorkbook(zipOf({ "/etc/passwd": "x" })))).toBe("bad_path");
    expect(faultOf(await readWorkbook(zipOf({ "a.txt": "x" })))).toBe("not_a_sheet");
    expect(faultOf(await readWorkbook(Buffer.from("PK\u0003\u0004 and nothing more")))).toBe("broken");
    expect(kindOf(Buffer.from([0xd0, 0xcf, 0x11, 0xe0]))).toBe("old_excel");
  });

  test("refuses a part that inflates to more than it declares", async () => {
    const file = zipOf({ "xl/workbook.xml": "<workbook/>".repeat(1_000) });
    const size = Buffer.alloc(4);
    size.writeUInt32LE(11_000);
    const small = Buffer.alloc(4);
    small.writeUInt32LE(50);
    for (let at = file.indexOf(size); at >= 0; at = file.indexOf(size)) small.copy(file, at);
    expect(deflateRawSync("x").byteLength).toBeGreaterThan(0);
    expect(faultOf(await readWorkbook(file))).toBe("broken");
  });

  test("a date that no calendar has is read as its number, and the rest of the file as usual", async () => {
    const date = (v: number) => ({ t: "n", v, z: "yyyy-mm-dd hh:mm" });
    const reading = await readWorkbook(
      workbook([
        ["Title", "Date"],
        ["Moss", date(9_999_999)],
        ["Fern", date(-3)],
        ["Ivy", date(46_000.5)],
      ]),
    );
    expect(tableOf(reading).slice(1)).toEqual([
      ["Moss", "9999999"],
      ["Fern", "-3"],
      ["Ivy", "2025-12-09 12:00"],
    ]);
  });
});

describe("formulas", () => {
  test("what is neutralized comes back exactly, and nothing else changes", () => {
    const risky = fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", " ", "\t", "a", "＝", "\n") });
    fc.assert(
      fc.property(fc.oneof(risky, fc.string()), (text) => {
        const safe = neutralize(text);
        expect(restoreFormula(safe)).toBe(text);
        expect(/^\s*[=+\-@]/.test(safe)).toBe(false);
      }),
      { numRuns: 10_000 },
    );
  });
});

test("10,000 damaged files are read or refused, and never crash or hang", async () => {
  const xlsx = workbook([
    ["Title", "Image", "Board"],
    ["Moss", "https://example.com/a.jpg", "Fern"],
  ]);
  const csv = Buffer.from('Title,Image,Board\n"Mo\nss",https://example.com/a.jpg,Fern\n');
  const damaged = fc.tuple(
    fc.constantFrom(xlsx, csv, csv, csv, csv, csv, csv, csv),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }),
    fc.nat(),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 3, arbitrary: damaged }, { weight: 1, arbitrary: fc.uint8Array() }),
      async (of) => {
        const bytes = Array.isArray(of) ? damage(of) : Buffer.from(of);
        const reading = kindOf(bytes) === "zip" ? await readWorkbook(bytes) : readText(decodeText(bytes));
        expect(["read", "refused"]).toContain(reading.kind);
      },
    ),
    { numRuns: 10_000 },
  );
}, 120_000);

/** Changes some bytes and cuts the end in every third file. */
const damage = ([original, changes, cut]: [Buffer, [number, number][], number]): Buffer => {
  const file = Buffer.from(original);
  for (const [at, byte] of changes) file[at % file.byteLength] = byte;
  return cut % 3 === 0 ? file.subarray(0, cut % file.byteLength) : file;
};

test("a file is read in a thread of its own", async () => {
  await expect(readSheet("/nowhere/at/all.csv")).rejects.toThrow("ENOENT");
});
