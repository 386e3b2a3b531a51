import { describe, expect, test } from "vitest";
import {
  type BulkForm,
  checkRows,
  emptyForm,
  failureText,
  fieldTexts,
  placeOf,
  type RowImage,
  remainingProblems,
  savedFilesIn,
  sentPercents,
  shownRows,
  titleOf,
  toFormData,
  withCount,
  withFilledDown,
  withImage,
  withImages,
  withLockToggled,
  withoutRow,
  withPlace,
  withRowBack,
  withText,
} from "#components/bulk-create/bulk-rows.ts";
import { parseDraft, serializeDraft, toForm } from "#components/bulk-create/saved-draft.ts";
import { bulkSubmission } from "#tests/support/bulk-submission.ts";

const image = (name: string): RowImage => {
  const file = new File(["x"], name, { type: "image/png" });
  return { file, preview: `blob:${name}`, problem: null, note: null };
};

const withBoard = (form: BulkForm, key: string, boardId: string) =>
  withPlace(form, key, { boardId, boardSectionId: null });
const IN_SECTION = { boardId: "7", boardSectionId: "70" };

const titles = (form: BulkForm) => shownRows(form).map(({ title }) => title);
const keyAt = (form: BulkForm, at: number) => form.rows[at]?.key ?? "";

/** A form with rows titled by their numbers. */
const numbered = (count: number): BulkForm =>
  Array.from({ length: count }).reduce<BulkForm>(
    (form, _, at) => withText(form, keyAt(form, at), "title", String(at + 1)),
    withCount(emptyForm(), count),
  );

describe("R-BULK-02 number of pins and rows", () => {
  test("R-BULK-02 shows as many rows as the number and restores their content", () => {
    const three = numbered(3);
    const one = withCount(three, 1);
    expect(titles(one)).toEqual(["1"]);
    expect(titles(withCount(one, 5))).toEqual(["1", "2", "3", "", ""]);
    expect(new Set(withCount(one, 100).rows.map(({ key }) => key)).size).toBe(100);
  });

  test("R-BULK-02 removing a row lowers the number, undo restores it in place, the only row is cleared", () => {
    const three = numbered(3);
    const [, second] = three.rows;
    if (!second) throw new Error("There are three.");
    const two = withoutRow(three, second.key);
    expect([titles(two), two.count]).toEqual([["1", "3"], 2]);
    expect(titles(withRowBack(two, second, 1))).toEqual(["1", "2", "3"]);
    const single = numbered(1);
    const emptied = withoutRow(single, keyAt(single, 0));
    expect([titles(emptied), emptied.count]).toEqual([[""], 1]);
    const [row] = single.rows;
    if (row) expect(titles(withRowBack(emptied, row, 0))).toEqual(["1"]);
  });
});

describe("adding images", () => {
  test("fills rows without an image, then adds up to a hundred rows, with titles from file names", () => {
    const form = withText(withCount(emptyForm(), 2), keyAt(withCount(emptyForm(), 2), 0), "title", "");
    const named = withText(form, keyAt(form, 0), "title", "Mine");
    const filled = withImages(named, ["IMG_2041-moss.garden.JPG", "b.png", "c.webp"].map(image));
    expect([titles(filled), filled.count]).toEqual([["Mine", "b", "c"], 3]);
    const full = withImages(
      filled,
      Array.from({ length: 120 }, (_, n) => image(`${n}.png`)),
    );
    expect([full.count, full.leftOut]).toEqual([100, 23]);
  });

  test("replaces a title from a file name and keeps a typed one", () => {
    const form = withImages(emptyForm(), [image("old one.png")]);
    const key = keyAt(form, 0);
    expect(titles(withImage(form, key, image("new one.png")))).toEqual(["new one"]);
    const typed = withText(form, key, "title", "Typed");
    expect(titles(withImage(typed, key, image("new one.png")))).toEqual(["Typed"]);
    expect(titleOf("IMG_2041-moss.garden.JPG")).toBe("IMG 2041 moss garden");
    expect(titleOf(`${"x".repeat(200)}.png`)).toHaveLength(100);
  });
});

describe("R-BULK-05 A-16 boards", () => {
  test("R-BULK-05 A-16 a board chosen in any row applies to all locked rows", () => {
    const form = numbered(3);
    const boards = (now: BulkForm) => shownRows(now).map((row) => placeOf(now, row).boardId);
    const all = withBoard(form, keyAt(form, 1), "7");
    expect(boards(all)).toEqual(["7", "7", "7"]);
    const unlocked = withLockToggled(all, keyAt(form, 2));
    expect(boards(unlocked)).toEqual(["7", "7", "7"]);
    const own = withBoard(unlocked, keyAt(form, 2), "8");
    expect(boards(own)).toEqual(["7", "7", "8"]);
    expect(boards(withBoard(own, keyAt(form, 0), "9"))).toEqual(["9", "9", "8"]);
    expect(boards(withLockToggled(own, keyAt(form, 2)))).toEqual(["7", "7", "7"]);
    expect(boards(withCount(own, 4))).toEqual(["7", "7", "8", "7"]);
    const inSection = withPlace(own, keyAt(form, 2), IN_SECTION);
    expect(shownRows(inSection).map((row) => placeOf(inSection, row).boardSectionId)).toEqual([null, null, "70"]);
  });
});

test("copies a text to all rows below only", () => {
  const form = numbered(4);
  expect(titles(withFilledDown(form, keyAt(form, 1), "title"))).toEqual(["1", "2", "2", "2"]);
  expect(withFilledDown(form, "of no row", "title")).toEqual(form);
  expect(emptyForm().rows[0]?.key).toBe(emptyForm().rows[0]?.key);
});

test("R-BULK-04 requires image, title and board, and validates the link", () => {
  const form = withText(withCount(emptyForm(), 2), "", "title", "");
  const whole = withBoard(withImages(form, [image("a.png")]), keyAt(form, 0), "7");
  const problems = checkRows(withText(whole, keyAt(whole, 0), "url", "javascript:alert(1)"));
  expect([...problems.values()]).toEqual([
    { url: "Enter a complete link that starts with http:// or https://." },
    { image: "Choose an image.", title: "Enter a title." },
  ]);
  expect(checkRows(withCount(whole, 1)).size).toBe(0);
});

test("R-BULK-08 A-18 R-ENT-07 the server reads what the form sends, in both shapes", async () => {
  const form = withPlace(withImages(emptyForm(), ["a.png", "b.png"].map(image)), "", IN_SECTION);
  const body = toFormData(withText(form, keyAt(form, 1), "url", " https://x.example/ "), "acc_1");
  expect([...body.keys()]).toEqual([
    "pinterest_account",
    "number_of_pins",
    "pins[0]",
    "pins[0][image]",
    "pins[1]",
    "pins[1][image]",
    "pins",
  ]);
  expect(JSON.parse(String(body.get("pins")))).toEqual([0, 1].map((n) => JSON.parse(String(body.get(`pins[${n}]`)))));
  expect(bulkSubmission(body)).toMatchObject({
    accountId: "acc_1",
    pins: [
      { boardId: "7", boardSectionId: "70", title: "a", description: "", link: null },
      { boardId: "7", title: "b", link: "https://x.example/" },
    ],
  });
});

test("R-BULK-08 sends a saved image as a digest only", () => {
  const form = withPlace(withImages(emptyForm(), ["a.png", "b.png", "c.png"].map(image)), "", IN_SECTION);
  const body = { message: "x", fields: { "pins[1]": ["x"] }, kept: ["pins[0]", "pins[2]", "pins[7]"] };
  const files = form.rows.map((row) => row.image?.file);
  expect(savedFilesIn(body, form)).toEqual([files[0], files[2]]);
  for (const silent of [null, undefined, "x", {}, { kept: 7 }]) expect(savedFilesIn(silent, form)).toBeNull();
  for (const saved of [[], [7]]) expect(savedFilesIn({ kept: saved }, form)).toEqual([]);
  const digest = "ab".repeat(32);
  const sent = toFormData(form, "acc_1", new Map(savedFilesIn(body, form)?.map((file) => [file, digest])));
  expect([...sent.keys()].filter((name) => name.endsWith("[image]"))).toEqual(["pins[1][image]"]);
  expect(bulkSubmission(sent)).toMatchObject({
    pins: [{ image: { path: null, sha256: digest } }, { title: "b" }, { image: { path: null, sha256: digest } }],
  });
});

test("assigns server messages about a pin to its row", () => {
  const form = numbered(3);
  const body = {
    message: "x",
    fields: { "pins[1]": ["Pin 2: This file is empty. Choose another one."], other: ["y"] },
  };
  expect([...fieldTexts(body, form)]).toEqual([[keyAt(form, 1), { row: "This file is empty. Choose another one." }]]);
  for (const nothing of [null, undefined, "x", {}, { fields: 7 }]) expect(fieldTexts(nothing, form).size).toBe(0);
});

test("R-BULK-10 R-ERR-15 the server's message, or 'Failed to create pins'", () => {
  expect(failureText({ error: "x", message: "In words." })).toBe("In words.");
  for (const body of [undefined, null, "x", {}, { message: "" }, { message: 7 }])
    expect(failureText(body)).toBe("Failed to create pins");
});

test("computes the progress per image from the total bytes", () => {
  expect(sentPercents([100, 300, 0], 0)).toEqual([0, 0, 100]);
  expect(sentPercents([100, 300, 0], 250)).toEqual([100, 50, 100]);
  expect(sentPercents([100, 300], 9_999)).toEqual([100, 100]);
});

describe("the draft that survives a reload", () => {
  const owner = { userId: "usr_1", accountId: "acc_1" };
  const form = withPlace(withImages(numbered(2), [image("a.png")]), "", IN_SECTION);

  test("restores texts, boards and the number, and keeps image names", () => {
    const saved = parseDraft(serializeDraft(form, owner), "usr_1");
    expect(saved?.rows.map((row) => row.pictureName)).toEqual(["a.png", null]);
    const again = saved && toForm(saved);
    expect(again).toMatchObject({ count: 2, ...IN_SECTION, rows: [{ title: "1" }, { title: "2" }] });
  });

  test.each([null, "", "{", "7", "null", "[]", '{"userId":"usr_1"}', '{"userId":"usr_1","count":1,"rows":[{}]}'])(
    "what is none of ours is not read: %j",
    (text) => {
      expect(parseDraft(text, "usr_1")).toBeNull();
    },
  );

  test("ignores another user's draft and one with too few rows", () => {
    const text = serializeDraft(form, owner);
    expect(parseDraft(text, "usr_2")).toBeNull();
    expect(parseDraft(text.replace('"count":2', '"count":3'), "usr_1")).toBeNull();
  });
});

describe("R-BULK-04 problems disappear when fixed", () => {
  const refused = withCount(emptyForm(), 2);
  const [one, two] = [keyAt(refused, 0), keyAt(refused, 1)];
  const problems = checkRows(refused);

  test("clears fixed titles, images and the shared board, and keeps other problems", () => {
    expect(remainingProblems(problems, refused, refused)).toBe(problems);
    const titled = withText(refused, one, "title", "Moss");
    expect(remainingProblems(problems, refused, titled).get(one)).toEqual({
      image: problems.get(one)?.image,
      board: problems.get(one)?.board,
    });
    expect(remainingProblems(problems, refused, titled).get(two)).toBe(problems.get(two));
    const boarded = withBoard(withImage(titled, one, image("a.png")), one, "brd_1");
    const left = remainingProblems(problems, refused, boarded);
    expect([...left.keys()]).toEqual([two]);
    expect(Object.keys(left.get(two) ?? {}).sort()).toEqual(["image", "title"]);
  });

  test("keeps a field with a new problem, and drops removed rows", () => {
    const wrong = withText(refused, one, "url", "nowhere");
    const found = checkRows(wrong);
    const still = remainingProblems(found, wrong, withText(wrong, one, "url", "nowhere else"));
    expect(still.get(one)?.url).toBe(found.get(one)?.url);
    expect(remainingProblems(found, wrong, withText(wrong, one, "url", "")).get(one)?.url).toBeUndefined();
    expect([...remainingProblems(problems, refused, withoutRow(refused, one)).keys()]).toEqual([two]);
  });

  test("R-BULK-10 clears the server's message about a row with its first change", () => {
    const said = new Map([[one, { row: "No." }]]);
    expect(remainingProblems(said, refused, withText(refused, two, "title", "x")).get(one)).toEqual({ row: "No." });
    expect(remainingProblems(said, refused, withText(refused, one, "description", "x")).size).toBe(0);
  });
});
