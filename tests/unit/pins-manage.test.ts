import { describe, expect, test } from "vitest";
import { type EditChoice, NO_EDIT, toChange } from "#components/pins/edit-choice.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import { editDraftInput, editDraftsInput, undoEditsInput } from "#lib/features/pins/schema.ts";

const choose = (some: Partial<EditChoice>) => toChange({ ...NO_EDIT, ...some });

describe("the request for a change of several pins", () => {
  test("R-BULK-05 is empty while nothing is chosen, and ignores blanks", () => {
    expect(toChange(NO_EDIT)).toBeNull();
    expect(choose({ linkChoice: "set", link: "  " })).toBeNull();
    expect(choose({ suffix: " \n" })).toBeNull();
    expect(choose({ utm: { ...NO_EDIT.utm, source: " " } })).toBeNull();
    // Typed before the choice was changed back, so it is not sent.
    expect(choose({ linkChoice: "keep", link: "https://example.com" })).toBeNull();
  });

  test("R-BULK-05 has a board, a link with parameters, and an ending", () => {
    const utm = { ...NO_EDIT.utm, campaign: "{title}" };
    expect(choose({ boardId: "7", linkChoice: "set", link: "https://e.com", utm, suffix: "#slow" })).toEqual({
      boardId: "7",
      boardSectionId: null,
      link: "https://e.com",
      utm,
      descriptionSuffix: "#slow",
    });
  });

  test("R-BULK-05 removed links get no parameters", () => {
    const utm = { ...NO_EDIT.utm, source: "pinterest" };
    expect(choose({ linkChoice: "remove", link: "https://e.com", utm })).toEqual({ link: null });
  });
});

describe("R-API-31 rejects invalid changes of pins", () => {
  const change = { descriptionSuffix: "#slow" };
  const ids = (count: number) => Array.from({ length: count }, (_, n) => `pin_${n}`);
  const textOf = (input: unknown) => editDraftsInput.safeParse(input).error?.issues[0]?.message;

  test.each([
    ["none", [], TEXTS.noPins],
    ["the same twice", ["pin_1", "pin_2", "pin_1"], TEXTS.pinTwice],
    ["more than 500", ids(501), TEXTS.tooManyPins],
  ])("pins: %s", (_, pinIds, text) => expect(textOf({ pinIds, change })).toBe(text));

  test("accepts 500 pins", () => expect(textOf({ pinIds: ids(500), change })).toBeUndefined());

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://example.com/",
    "file:///etc/passwd",
    "example.com",
    "//example.com",
    "http://",
    "not a link",
  ])("a link like %s, for one pin and for several", (link) => {
    expect(textOf({ pinIds: ["pin_1"], change: { link } })).toBe(TEXTS.linkInvalid);
    expect(editDraftInput.safeParse({ pinId: "pin_1", link }).error?.issues[0]?.message).toBe(TEXTS.linkInvalid);
  });

  test("a link of 4,000 characters", () => {
    const link = `https://example.com/${"a".repeat(3_980)}`;
    expect(textOf({ pinIds: ["pin_1"], change: { link } })).toBe(TEXTS.linkTooLong);
    expect(editDraftInput.safeParse({ pinId: "pin_1", link }).error?.issues[0]?.message).toBe(TEXTS.linkTooLong);
  });

  test.each(["", "b1", "1; drop", "-1", "1".repeat(31), 7, null])("a board like %o", (boardId) => {
    expect(textOf({ pinIds: ["pin_1"], change: { boardId } })).toBe(TEXTS.boardInvalid);
  });

  test("an undo with a repeated pin, or none", () => {
    const undo = (edits: unknown) => undoEditsInput.safeParse({ editedAt: "2026-11-22T10:00:00.000Z", edits });
    expect(undo([{ pinId: "pin_1" }, { pinId: "pin_1" }]).error?.issues[0]?.message).toBe(TEXTS.pinTwice);
    expect(undo([]).error?.issues[0]?.message).toBe(TEXTS.noPins);
    expect(undo([{ pinId: "pin_1", link: null }]).success).toBe(true);
  });
});
