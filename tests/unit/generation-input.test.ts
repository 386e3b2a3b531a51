import { describe, expect, test } from "vitest";
import { generatePinsInput, trackGenerationInput } from "#lib/features/generation/schema.ts";
import { fc } from "#tests/support/properties.ts";

const body = (rows: unknown, more: Record<string, unknown> = {}) => ({
  pinterest_account: "acc_1",
  board_id: "123456789",
  quality: "standard",
  keyword_data: rows,
  ...more,
});

const read = (rows: unknown, more?: Record<string, unknown>) => generatePinsInput.safeParse(body(rows, more));
const rowsOf = (rows: unknown) => read(rows).data?.rows;
const firstMessage = (rows: unknown, more?: Record<string, unknown>) => read(rows, more).error?.issues[0]?.message;

describe("R-AIC-08: input of a start", () => {
  test("wire names are converted", () => {
    expect(read([{ keyword: "moss", url: "https://a.example/x" }]).data).toEqual({
      accountId: "acc_1",
      boardId: "123456789",
      quality: "standard",
      rows: [{ keyword: "moss", url: "https://a.example/x" }],
    });
    expect(read([{ keyword: "moss" }], { board_section_id: "77" }).data).toMatchObject({ boardSectionId: "77" });
    expect(read([{ keyword: "moss" }], { board_section_id: "Fall" }).success).toBe(false);
    expect(read([{ keyword: "moss" }], { unreadable_page: "stop" }).data).toMatchObject({ unreadPage: "stop" });
    expect(read([{ keyword: "moss" }], { unreadable_page: null }).data).not.toHaveProperty("unreadPage");
    expect(read([{ keyword: "moss" }], { unreadable_page: "skip" }).success).toBe(false);
  });

  test("R-AIC-06: a null, missing or empty url is null", () => {
    const urls = [null, undefined, "", "   "];
    expect(rowsOf(urls.map((url) => ({ keyword: "k", url })))?.map(({ url }) => url)).toEqual([null, null, null, null]);
  });

  test("R-AIC-05: rows without a keyword are ignored, whatever their url", () => {
    const rows = [
      { keyword: "  " },
      { keyword: "a" },
      { keyword: "\u200b", url: "nonsense" },
      { keyword: "", url: null },
    ];
    expect(rowsOf(rows)).toEqual([{ keyword: "a", url: null }]);
  });

  test("R-AIC-07: no keyword is left", () => {
    expect(firstMessage([])).toBe("Please enter at least one keyword");
    expect(firstMessage([{ keyword: " " }])).toBe("Please enter at least one keyword");
    expect(firstMessage(undefined)).toBe("Please enter at least one keyword");
  });

  test("keywords are one line of visible text, 1 to 200 characters", () => {
    expect(rowsOf([{ keyword: "cafe\u0301" }])).toMatchObject([{ keyword: "caf\u00e9" }]);
    expect(rowsOf([{ keyword: " small\u0000 \n balcony\t garden " }])).toEqual([
      { keyword: "small balcony garden", url: null },
    ]);
    expect(rowsOf([{ keyword: "k".repeat(200) }])).toHaveLength(1);
    expect(firstMessage([{ keyword: "a" }, { keyword: "k".repeat(201) }])).toMatch(/^Row 2: the keyword /);
  });

  test("A-92: 100 keywords are accepted, 101 are not; empty rows do not count", () => {
    const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ keyword: `k${index}` }));
    expect(rowsOf([...rows(100), { keyword: "" }])).toHaveLength(100);
    expect(firstMessage(rows(101))).toMatch(/^You can enter up to 100 keywords/);
    expect(firstMessage(rows(2_000))).toMatch(/^You can enter up to 100 keywords/);
  });

  test.each([
    "javascript:alert(1)",
    "ftp://a.example/",
    "a.example",
    "//a.example",
    "https://",
    "https://a b.example/",
    "data:text/html,x",
    `https://a.example/${"x".repeat(2_048)}`,
  ])("A-93: %s names its row", (url) => {
    expect(firstMessage([{ keyword: "a" }, { keyword: "b", url }])).toMatch(/^Row 2: the URL must start with http:/);
  });

  test.each([null, "moss", 5, [], { keyword: 5 }, { keyword: "a", url: 5 }, { url: "https://a.example/" }])(
    "A-93: a row of another type is named: %j",
    (row) => {
      expect(firstMessage([row])).toMatch(/^Row 1: /);
    },
  );

  test.each([
    [{ pinterest_account: "" }],
    [{ pinterest_account: 7 }],
    [{ board_id: "12a" }],
    [{ board_id: 12 }],
    [{ board_id: "1".repeat(31) }],
    [{ quality: "best" }],
    [{ quality: undefined }],
  ])("a wrong field is rejected: %j", (more) => {
    expect(read([{ keyword: "a" }], more).success).toBe(false);
  });

  test("each keyword gets one to four pins, and all together at most 100", () => {
    const keywords = (count: number) => Array.from({ length: count }, (_, index) => ({ keyword: `k${index}` }));
    expect(read(keywords(25), { variants: 4 }).data).toMatchObject({ variants: 4 });
    expect(read(keywords(1), { variants: null }).data).not.toHaveProperty("variants");
    expect(firstMessage(keywords(34), { variants: 3 })).toMatch(/^You can generate up to 100 pins at once/);
    for (const variants of [0, 5, 1.5, "2"]) expect(firstMessage(keywords(1), { variants })).toMatch(/1 to 4/);
  });

  test("unknown fields are ignored", () => {
    expect(read([{ keyword: "a", credits: 0, extra: 1 }], { user_id: "usr_x", cost: 0 }).success).toBe(true);
  });

  test("any input gives valid rows or an error", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (raw) => {
        const parsed = read(raw);
        return !parsed.success || parsed.data.rows.every(({ keyword }) => keyword.length > 0 && keyword.length <= 200);
      }),
    );
  });
});

test("R-TRK-03: tracking takes a group_id", () => {
  expect(trackGenerationInput.parse({ group_id: "grp_1" })).toEqual({ groupId: "grp_1" });
  expect(trackGenerationInput.safeParse({}).success).toBe(false);
});
