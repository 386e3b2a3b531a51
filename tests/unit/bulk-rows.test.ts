import { describe, expect, test } from "vitest";
import {
  type BulkForm,
  boardOf,
  checkRows,
  emptyForm,
  failureText,
  fieldTexts,
  keptIn,
  problemsLeft,
  type RowPicture,
  sentPercents,
  shownRows,
  titleOf,
  toFormData,
  withBoard,
  withCount,
  withFilledDown,
  withLockTurned,
  withoutRow,
  withPicture,
  withPictures,
  withRowBack,
  withText,
} from "#components/bulk-create/bulk-rows.ts";
import { formOf, readKept, writeDraft } from "#components/bulk-create/kept-draft.ts";
import { bulkSubmission } from "#tests/support/bulk-submission.ts";

const picture = (name: string): RowPicture => {
  const file = new File(["x"], name, { type: "image/png" });
  return { file, preview: `blob:${name}`, problem: null, note: null };
};

const titles = (form: BulkForm) => shownRows(form).map(({ title }) => title);
const keyAt = (form: BulkForm, at: number) => form.rows[at]?.key ?? "";

/** A form of so many rows, titled by their numbers. */
const numbered = (count: number): BulkForm =>
  Array.from({ length: count }).reduce<BulkForm>(
    (form, _, at) => withText(form, keyAt(form, at), "title", String(at + 1)),
    withCount(emptyForm(), count),
  );

describe("R-BULK-02 number and rows keep in step", () => {
  test("R-BULK-02 rows come and go with the number; what was in them comes back", () => {
    const three = numbered(3);
    const one = withCount(three, 1);
    expect(titles(one)).toEqual(["1"]);
    expect(titles(withCount(one, 5))).toEqual(["1", "2", "3", "", ""]);
    expect(new Set(withCount(one, 100).rows.map(({ key }) => key)).size).toBe(100);
  });

  test("R-BULK-02 removing a row lowers the number, undoing puts it back at its place, the last one is emptied", () => {
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

describe("images find their rows", () => {
  test("rows without an image first, then new ones up to a hundred; titles come from the names", () => {
    const form = withText(withCount(emptyForm(), 2), keyAt(withCount(emptyForm(), 2), 0), "title", "");
    const named = withText(form, keyAt(form, 0), "title", "Mine");
    const filled = withPictures(named, ["IMG_2041-moss.garden.JPG", "b.png", "c.webp"].map(picture));
    expect([titles(filled), filled.count]).toEqual([["Mine", "b", "c"], 3]);
    const full = withPictures(
      filled,
      Array.from({ length: 120 }, (_, n) => picture(`${n}.png`)),
    );
    expect([full.count, full.leftOut]).toEqual([100, 23]);
  });

  test("a title that came from an image goes with it; one that was typed stays", () => {
    const form = withPictures(emptyForm(), [picture("old one.png")]);
    const key = keyAt(form, 0);
    expect(titles(withPicture(form, key, picture("new one.png")))).toEqual(["new one"]);
    const typed = withText(form, key, "title", "Typed");
    expect(titles(withPicture(typed, key, picture("new one.png")))).toEqual(["Typed"]);
    expect(titleOf("IMG_2041-moss.garden.JPG")).toBe("IMG 2041 moss garden");
    expect(titleOf(`${"x".repeat(200)}.png`)).toHaveLength(100);
  });
});

describe("R-BULK-05 A-16 boards", () => {
  test("R-BULK-05 A-16 one chosen in any row is that of all, but for rows that are unlocked", () => {
    const form = numbered(3);
    const boards = (now: BulkForm) => shownRows(now).map((row) => boardOf(now, row));
    const all = withBoard(form, keyAt(form, 1), "7");
    expect(boards(all)).toEqual(["7", "7", "7"]);
    const unlocked = withLockTurned(all, keyAt(form, 2));
    expect(boards(unlocked)).toEqual(["7", "7", "7"]);
    const own = withBoard(unlocked, keyAt(form, 2), "8");
    expect(boards(own)).toEqual(["7", "7", "8"]);
    expect(boards(withBoard(own, keyAt(form, 0), "9"))).toEqual(["9", "9", "8"]);
    expect(boards(withLockTurned(own, keyAt(form, 2)))).toEqual(["7", "7", "7"]);
    expect(boards(withCount(own, 4))).toEqual(["7", "7", "8", "7"]);
  });
});

test("a text is copied into all rows below, and into no other", () => {
  const form = numbered(4);
  expect(titles(withFilledDown(form, keyAt(form, 1), "title"))).toEqual(["1", "2", "2", "2"]);
  expect(withFilledDown(form, "of no row", "title")).toEqual(form);
  expect(emptyForm().rows[0]?.key).toBe(emptyForm().rows[0]?.key);
});

test("R-BULK-04 each pin needs image, title and board; a link must be one", () => {
  const form = withText(withCount(emptyForm(), 2), "", "title", "");
  const whole = withBoard(withPictures(form, [picture("a.png")]), keyAt(form, 0), "7");
  const problems = checkRows(withText(whole, keyAt(whole, 0), "url", "javascript:alert(1)"));
  expect([...problems.values()]).toEqual([
    { url: "The link must be a full http or https address." },
    { picture: "Choose an image.", title: "A pin needs a title." },
  ]);
  expect(checkRows(withCount(whole, 1)).size).toBe(0);
});

test("R-BULK-08 A-18 R-ENT-07 what the form sends is what the call reads, in both shapes", async () => {
  const form = withBoard(withPictures(emptyForm(), ["a.png", "b.png"].map(picture)), "", "7");
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
      { boardId: "7", title: "a", description: "", link: null },
      { boardId: "7", title: "b", link: "https://x.example/" },
    ],
  });
});

test("R-BULK-08 an image that the server keeps is named by its digest and not sent again", () => {
  const form = withBoard(withPictures(emptyForm(), ["a.png", "b.png", "c.png"].map(picture)), "", "7");
  const body = { message: "x", fields: { "pins[1]": ["x"] }, kept: ["pins[0]", "pins[2]", "pins[7]"] };
  const files = form.rows.map((row) => row.picture?.file);
  expect(keptIn(body, form)).toEqual([files[0], files[2]]);
  for (const silent of [null, undefined, "x", {}, { kept: 7 }]) expect(keptIn(silent, form)).toBeNull();
  for (const kept of [[], [7]]) expect(keptIn({ kept }, form)).toEqual([]);
  const digest = "ab".repeat(32);
  const sent = toFormData(form, "acc_1", new Map(keptIn(body, form)?.map((file) => [file, digest])));
  expect([...sent.keys()].filter((name) => name.endsWith("[image]"))).toEqual(["pins[1][image]"]);
  expect(bulkSubmission(sent)).toMatchObject({
    pins: [{ picture: { path: null, sha256: digest } }, { title: "b" }, { picture: { path: null, sha256: digest } }],
  });
});

test("what the server says about a pin finds its row", () => {
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

test("how much of each image is sent follows from the bytes of all", () => {
  expect(sentPercents([100, 300, 0], 0)).toEqual([0, 0, 100]);
  expect(sentPercents([100, 300, 0], 250)).toEqual([100, 50, 100]);
  expect(sentPercents([100, 300], 9_999)).toEqual([100, 100]);
});

describe("the draft that survives a reload", () => {
  const owner = { userId: "usr_1", accountId: "acc_1" };
  const form = withBoard(withPictures(numbered(2), [picture("a.png")]), "", "7");

  test("texts, boards and the number come back as they were; images are told of by name", () => {
    const kept = readKept(writeDraft(form, owner), "usr_1");
    expect(kept?.rows.map(({ pictureName }) => pictureName)).toEqual(["a.png", null]);
    const again = kept && formOf(kept);
    expect(again).toMatchObject({ count: 2, boardId: "7", rows: [{ title: "1" }, { title: "2" }] });
  });

  test.each([null, "", "{", "7", "null", "[]", '{"userId":"usr_1"}', '{"userId":"usr_1","count":1,"rows":[{}]}'])(
    "what is none of ours is not read: %j",
    (text) => {
      expect(readKept(text, "usr_1")).toBeNull();
    },
  );

  test("another user's is not read, nor one that counts more rows than it has", () => {
    const text = writeDraft(form, owner);
    expect(readKept(text, "usr_2")).toBeNull();
    expect(readKept(text.replace('"count":2', '"count":3'), "usr_1")).toBeNull();
  });
});

describe("R-BULK-04 what was mended is no longer complained about", () => {
  const refused = withCount(emptyForm(), 2);
  const [one, two] = [keyAt(refused, 0), keyAt(refused, 1)];
  const problems = checkRows(refused);

  test("a title, an image and the board of all go from the rows they stand in; the others stay as they are", () => {
    expect(problemsLeft(problems, refused, refused)).toBe(problems);
    const titled = withText(refused, one, "title", "Moss");
    expect(problemsLeft(problems, refused, titled).get(one)).toEqual({
      picture: problems.get(one)?.picture,
      board: problems.get(one)?.board,
    });
    expect(problemsLeft(problems, refused, titled).get(two)).toBe(problems.get(two));
    const boarded = withBoard(withPicture(titled, one, picture("a.png")), one, "brd_1");
    const left = problemsLeft(problems, refused, boarded);
    expect([...left.keys()]).toEqual([two]);
    expect(Object.keys(left.get(two) ?? {}).sort()).toEqual(["picture", "title"]);
  });

  test("what is changed into something else that is wrong stays wrong, and a row that is gone is not counted", () => {
    const wrong = withText(refused, one, "url", "nowhere");
    const found = checkRows(wrong);
    const still = problemsLeft(found, wrong, withText(wrong, one, "url", "nowhere else"));
    expect(still.get(one)?.url).toBe(found.get(one)?.url);
    expect(problemsLeft(found, wrong, withText(wrong, one, "url", "")).get(one)?.url).toBeUndefined();
    expect([...problemsLeft(problems, refused, withoutRow(refused, one)).keys()]).toEqual([two]);
  });

  test("R-BULK-10 what the server said about a row goes with the first change in it", () => {
    const said = new Map([[one, { row: "No." }]]);
    expect(problemsLeft(said, refused, withText(refused, two, "title", "x")).get(one)).toEqual({ row: "No." });
    expect(problemsLeft(said, refused, withText(refused, one, "description", "x")).size).toBe(0);
  });
});
