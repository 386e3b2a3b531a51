import { describe, expect, test } from "vitest";
import { LINK_MAX, TEXTS } from "#lib/features/pins/constants.ts";
import { planEdit, slugOf, tagLink } from "#lib/features/pins/policy.ts";
import { editDraftsInput } from "#lib/features/pins/schema.ts";

const pin = { keyword: "Slow Sunday bread", title: "Brot & Öl: 10 Ideen" };
const TEMPLATE = { source: "pinterest", medium: "social", campaign: "{keyword}" };
const TAGGED = "utm_source=pinterest&utm_medium=social&utm_campaign=slow-sunday-bread";
const tag = (
  link: string,
  template: Parameters<typeof tagLink>[1] = TEMPLATE,
  of: Parameters<typeof tagLink>[2] = pin,
) => tagLink(link, template, of);

describe("a link with UTM parameters", () => {
  test("appends them to the query", () => {
    expect(tag("https://example.com/")).toBe(`https://example.com/?${TAGGED}`);
    expect(tag("https://example.com/bread")).toBe(`https://example.com/bread?${TAGGED}`);
  });

  test("keeps query and fragment unchanged", () => {
    const kept = ["a=1&b=%20x+y", "flag", "a=1&&b", "q=what?now", "utmost=1&xutm_source=2", "%75tm=3"];
    for (const query of kept) {
      expect(tag(`https://example.com/x?${query}#top`)).toBe(`https://example.com/x?${query}&${TAGGED}#top`);
    }
    expect(tag("https://example.com/#/route?x=1#two")).toBe(`https://example.com/?${TAGGED}#/route?x=1#two`);
    expect(tag("https://example.com/?#")).toBe(`https://example.com/?${TAGGED}#`);
  });

  test("replaces every utm_ parameter however it is written, and is idempotent", () => {
    const before = "https://example.com/?utm_source=mail&a=1&UTM_Term=x&utm_id=7&%75tm_campaign=old&utm_content";
    const after = `https://example.com/?a=1&${TAGGED}`;
    expect(tag(before)).toBe(after);
    expect(tag(after)).toBe(after);
  });

  test("{keyword} and {title} become slugs; other text is escaped", () => {
    expect(tag("https://e.com/", { content: "{title}", term: "a b&c=d#{keyword}" })).toBe(
      "https://e.com/?utm_content=brot-ol-10-ideen&utm_term=a%20b%26c%3Dd%23slow-sunday-bread",
    );
    expect(tag("https://e.com/", { campaign: "{keyword}", source: "x" }, { keyword: null, title: "T" })).toBe(
      "https://e.com/?utm_source=x",
    );
  });

  test.each([
    ["Crème brûlée, s'il vous plaît!", "creme-brulee-s-il-vous-plait"],
    ["Суп дня", "суп-дня"],
    ["緑の庭", "緑の庭"],
    ["हिन्दी", "हिन्दी"],
    ["한국어 정원", "한국어-정원"],
    ["--- 🎉 ---", ""],
    ["x".repeat(200), "x".repeat(80)],
    [`${"y".repeat(79)} z`, "y".repeat(79)],
  ])("%s becomes %s in a URL", (text, slug) => expect(slugOf(text)).toBe(slug));
});

describe("planning a change", () => {
  const texts = {
    ...pin,
    boardId: "1",
    boardSectionId: "9",
    link: "https://example.com/",
    description: "Warm.",
    altText: "Bread.",
  };

  test("affects only the named fields, and is idempotent", () => {
    const change = { boardId: "2", utm: TEMPLATE, descriptionSuffix: "#bread" };
    const { after, problem } = planEdit(texts, change);
    expect({ after, problem }).toEqual({
      after: {
        boardId: "2",
        boardSectionId: null,
        link: `https://example.com/?${TAGGED}`,
        description: "Warm. #bread",
        altText: "Bread.",
      },
      problem: null,
    });
    expect(planEdit({ ...texts, ...after }, change).after).toEqual(after);
    const { link, description, altText } = texts;
    const moved = { boardId: "2", boardSectionId: null, link, description, altText };
    expect(planEdit(texts, { boardId: "2" }).after).toEqual(moved);
    expect(planEdit(texts, { altText: "A loaf." }).after).toMatchObject({ link, description, altText: "A loaf." });
    expect(planEdit(texts, { link: null }).after).toMatchObject({ boardId: "1", boardSectionId: "9" });
    expect(planEdit(texts, { boardId: "2", boardSectionId: "3" }).after).toMatchObject({ boardSectionId: "3" });
  });

  test("tags a new link, but not a removed or absent one", () => {
    expect(planEdit(texts, { link: "https://new.example/", utm: { source: "p" } }).after.link).toBe(
      "https://new.example/?utm_source=p",
    );
    expect(planEdit(texts, { link: null, utm: TEMPLATE }).after.link).toBeNull();
    expect(planEdit({ ...texts, link: null }, { utm: TEMPLATE }).after.link).toBeNull();
  });

  test("reports texts that become too long, and ignores unchanged ones", () => {
    const long = `https://example.com/${"a".repeat(LINK_MAX - 40)}`;
    expect(planEdit({ ...texts, link: long }, { utm: TEMPLATE }).problem).toBe(TEXTS.taggedTooLong);
    const full = { ...texts, description: "d".repeat(799) };
    expect(planEdit(full, { descriptionSuffix: "#x" }).problem).toBe(TEXTS.suffixTooLong);
    expect(planEdit({ ...texts, description: "d".repeat(797) }, { descriptionSuffix: "#x" }).problem).toBeNull();
    expect(planEdit({ ...texts, link: `${long}${"b".repeat(100)}` }, { boardId: "2" }).problem).toBeNull();
  });
});

describe("validating a change", () => {
  const parse = (change: unknown) => editDraftsInput.safeParse({ pinIds: ["pin_1"], change });

  test("requires at least one field", () => {
    for (const change of [
      {},
      { utm: {} },
      { utm: { source: " " } },
      { descriptionSuffix: " " },
      { boardId: undefined },
    ]) {
      expect(parse(change).error?.issues[0]?.message, JSON.stringify(change)).toBe(TEXTS.noChange);
    }
    expect(parse({ link: "" }).data?.change).toEqual({ link: null });
  });

  test.each([
    { link: "javascript:alert(1)" },
    { link: "ftp://example.com/" },
    { link: "not an address" },
    { link: `https://example.com/${"x".repeat(4_000)}` },
    { boardId: "1 or 1=1" },
    { boardSectionId: "7" },
    { boardId: "1", boardSectionId: "x" },
    { boardId: 7 },
    { descriptionSuffix: "x".repeat(801) },
    { utm: { source: "x".repeat(101) } },
    { utm: { campaign: "{board}" } },
    { utm: { campaign: "{keyword" } },
    { utm: { other: "x" } },
    null,
  ])("not %j", (change) => expect(parse(change).success).toBe(false));
});
