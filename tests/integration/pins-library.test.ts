import { eq, inArray } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import type { PinId } from "#lib/core/ids.ts";
import { PIN_SORTS } from "#lib/features/pins/constants.ts";
import { listPins } from "#lib/features/pins/library.ts";
import { listPinsInput, title } from "#lib/features/pins/schema.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const code = (expected: string) => expect.objectContaining({ code: expected });

const list = async (creator: Creator, query: Record<string, string> = {}) =>
  listPins(creator.ctx, listPinsInput.parse({ accountId: creator.account.id, ...query }));

const titles = async (creator: Creator, query: Record<string, string> = {}): Promise<string[]> =>
  (await list(creator, query)).pins.map(({ title }) => title);

/** Drafts with these titles, a second apart, oldest first. */
const titled = async (creator: Creator, names: readonly string[], keyword = "kept aside"): Promise<PinId[]> => {
  const ids: PinId[] = [];
  for (const name of names) {
    ids.push(await setup.draft(creator, { title: name, keyword }));
    await setup.moveClock(1_000);
  }
  return ids;
};

const setTo = (ids: PinId[], row: Partial<typeof pins.$inferInsert>) =>
  setup.harness.database.db.update(pins).set(row).where(inArray(pins.id, ids));

/** Reads all pages; `between` runs after each. */
const walk = async (
  creator: Creator,
  query: Record<string, string>,
  between?: (seen: readonly string[]) => Promise<unknown>,
) => {
  const seen: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const found: Awaited<ReturnType<typeof list>> = await list(creator, { ...query, ...(cursor && { cursor }) });
    seen.push(...found.pins.map(({ title }) => title));
    cursor = found.nextCursor;
    if (cursor === null) return seen;
    await between?.(seen);
  }
};

describe("searching an account's pins", () => {
  test("R-POST-03 matches every word in title or keyword, ignoring case in all alphabets", async () => {
    const creator = await setup.insertCreator();
    await titled(creator, ["Slow Sunday bread", "ÉCLAIRS for Sunday", "Тихая гавань", "Winter branches"]);
    await setup.draft(creator, { title: "Something else", keyword: "Sunday roast" });
    expect(await titles(creator, { q: "sunday" })).toEqual([
      "Something else",
      "ÉCLAIRS for Sunday",
      "Slow Sunday bread",
    ]);
    expect(await titles(creator, { q: "  BREAD  sun " })).toEqual(["Slow Sunday bread"]);
    expect(await titles(creator, { q: "éclair" })).toEqual(["ÉCLAIRS for Sunday"]);
    expect(await titles(creator, { q: "тИХ" })).toEqual(["Тихая гавань"]);
    expect(await titles(creator, { q: "sunday roast", status: "draft" })).toEqual(["Something else"]);
    expect(await titles(creator, { q: "sunday", status: "published" })).toEqual([]);
    expect(await titles(creator, { q: "nowhere" })).toEqual([]);
    expect(await titles(creator, { q: " " })).toHaveLength(5);
  });

  test("R-POST-03 matches composed and decomposed letters", async () => {
    const creator = await setup.insertCreator();
    const written = title.parse("Cafe\u0301 cre\u0300me");
    await titled(creator, [written]);
    expect(written).toBe("Caf\u00e9 cr\u00e8me");
    for (const q of ["caf\u00e9", "CAFE\u0301", "cr\u00e8me"])
      expect([q, await titles(creator, { q })]).toEqual([q, [written]]);
  });

  test("searches special characters of the database literally", async () => {
    const creator = await setup.insertCreator();
    await titled(creator, ["100% linen", "snake_case", "back\\slash", "🍞 bread", "it's 'quoted'", "abc xyz"]);
    const found: Record<string, string[]> = {
      "%": ["100% linen"],
      "00%": ["100% linen"],
      "0% ": ["100% linen"],
      _: ["snake_case"],
      ake_: ["snake_case"],
      a_c: [],
      "abc%xyz": [],
      "\\": ["back\\slash"],
      "back\\": ["back\\slash"],
      "🍞": ["🍞 bread"],
      "🍞🍞": [],
      "'": ["it's 'quoted'"],
      "');drop": [],
      "ab\0c": ["abc xyz"],
    };
    for (const [q, expected] of Object.entries(found)) expect([q, await titles(creator, { q })]).toEqual([q, expected]);
    expect(listPinsInput.safeParse({ accountId: "acc", q: "a".repeat(4_000) }).success).toBe(false);
    expect(await titles(creator, { q: "ab ".repeat(60).trim() })).toEqual(["abc xyz"]);
  });

  test("A-91 does not search, count or page another user's account", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    await titled(creator, ["Slow Sunday bread"]);
    for (const query of [
      { q: "bread" },
      { q: "b" },
      { counts: "true" },
      { sort: "due" },
      { sort: "title", limit: "1" },
    ]) {
      const foreign = listPinsInput.parse({ accountId: creator.account.id, ...query });
      await expect(listPins(stranger.ctx, foreign)).rejects.toEqual(code("not_found"));
    }
    expect(await titles(stranger, { q: "bread" })).toEqual([]);
  });
});

describe("listing pins by id", () => {
  test("R-POST-03, A-91 returns the existing pins of the caller in the requested order", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const [a, b, c] = await titled(creator, ["bread a", "bread b", "cake c"]);
    const [foreign] = await titled(stranger, ["bread foreign"]);
    await setTo([b as PinId], { status: "published" });
    const ids = [a, foreign, b, "pin_gone", b, c].join(",");
    expect(await titles(creator, { ids })).toEqual(["cake c", "bread b", "bread a"]);
    expect(await titles(creator, { ids, status: "published" })).toEqual(["bread b"]);
    expect(await titles(creator, { ids, q: "bread", sort: "title" })).toEqual(["bread a", "bread b"]);
    expect(await titles(creator, { ids: String(foreign) })).toEqual([]);
    expect(await walk(creator, { ids, limit: "1" })).toEqual(["cake c", "bread b", "bread a"]);
    expect((await list(creator, { ids: String(a), counts: "true" })).counts).toMatchObject({ all: 3, draft: 2 });
    const theirs = listPinsInput.parse({ accountId: creator.account.id, ids: String(a) });
    await expect(listPins(stranger.ctx, theirs)).rejects.toEqual(code("not_found"));
  });

  test("rejects empty, too many and malformed ids with a message", () => {
    const refused = (ids: string) => listPinsInput.safeParse({ accountId: "acc", ids }).error?.issues[0]?.message;
    expect(refused("")).toBe("Select at least one pin.");
    expect(refused(" ,, ".replaceAll(" ", ""))).toBe("Select at least one pin.");
    expect(refused(Array.from({ length: 201 }, (_, n) => `pin_${n}`).join(","))).toBe(
      "You can request up to 200 IDs at once.",
    );
    expect(refused("x".repeat(4_000))).toBe("This ID isn't valid.");
    expect(refused("pin_1,pin_1,pin_2")).toBeUndefined();
  });
});

describe("counting an account's pins", () => {
  test("R-POST-02 counts each status and the total, also of a search", async () => {
    const creator = await setup.insertCreator();
    const ids = await titled(creator, ["bread a", "bread b", "bread c", "cake a", "cake b", "cake c"]);
    await setTo(ids.slice(1, 3), { status: "scheduled", scheduledAt: new Date() });
    await setTo(ids.slice(3, 4), { status: "published" });
    await setTo(ids.slice(4, 5), { status: "failed" });
    const all = { all: 6, draft: 2, scheduled: 2, published: 1, failed: 1 };
    expect((await list(creator, { counts: "true", status: "failed", limit: "1" })).counts).toEqual(all);
    const bread = { all: 3, draft: 1, scheduled: 2, published: 0, failed: 0 };
    expect((await list(creator, { counts: "true", q: "bread" })).counts).toEqual(bread);
    expect((await list(creator)).counts).toBeUndefined();
    const emptyCreator = await setup.insertCreator();
    expect((await list(emptyCreator, { counts: "true" })).counts).toMatchObject({ all: 0, draft: 0 });
  });

  test("does not list, count or find deleted pins", async () => {
    const creator = await setup.insertCreator();
    const [gone] = await titled(creator, ["bread a", "bread b"]);
    if (!gone) throw new Error("There is no pin.");
    await setup.harness.database.db
      .update(pins)
      .set({ status: "deleted", deletedAt: new Date(), deletedFrom: "draft" })
      .where(eq(pins.id, gone));
    for (const sort of PIN_SORTS) expect(await titles(creator, { sort, q: "bread" })).toEqual(["bread b"]);
    expect((await list(creator, { counts: "true" })).counts).toMatchObject({ all: 1 });
  });
});

describe("sorting and paging an account's pins", () => {
  test("sorts by newest, oldest, due time and title", async () => {
    const creator = await setup.insertCreator();
    const ids = await titled(creator, ["banana", "Éclair", "apple", "Zucchini", "Apple"]);
    const soon = new Date(Date.now() + 1_000);
    await setTo(ids.slice(1, 2), { status: "scheduled", scheduledAt: new Date(Date.now() + 2_000) });
    await setTo(ids.slice(3, 4), { status: "scheduled", scheduledAt: soon });
    expect(await titles(creator)).toEqual(["Apple", "Zucchini", "apple", "Éclair", "banana"]);
    expect(await titles(creator, { sort: "oldest" })).toEqual(["banana", "Éclair", "apple", "Zucchini", "Apple"]);
    expect(await titles(creator, { sort: "due" })).toEqual(["Zucchini", "Éclair", "Apple", "apple", "banana"]);
    expect(await titles(creator, { sort: "due", status: "scheduled" })).toEqual(["Zucchini", "Éclair"]);
    expect(await titles(creator, { sort: "due", status: "draft" })).toEqual(["Apple", "apple", "banana"]);
    expect(await titles(creator, { sort: "title" })).toEqual(["apple", "Apple", "banana", "Éclair", "Zucchini"]);
  });

  test("R-POST-03 pages of any order and size cover the list exactly once, also with equal times and titles", async () => {
    const creator = await setup.insertCreator();
    const names = ["twin", "twin", "twin", "Größe 🍞", "100%", "twin", "last"];
    const ids: PinId[] = [];
    for (const title of names) ids.push(await setup.draft(creator, { title }));
    const at = new Date();
    await setTo(ids, { createdAt: at });
    await setTo(ids.slice(0, 3), { status: "scheduled", scheduledAt: at });
    for (const sort of PIN_SORTS) {
      const whole = (await list(creator, { sort })).pins.map(({ title }) => title);
      for (const limit of ["1", "2", "3", "7"]) expect(await walk(creator, { sort, limit })).toEqual(whole);
    }
    expect(await walk(creator, { sort: "title", limit: "1", q: "twin" })).toHaveLength(4);
  });

  test("R-POST-03 a page can end at a title with a line break", async () => {
    const creator = await setup.insertCreator();
    const ids = await titled(creator, ["a", "b", "c"]);
    await setTo(ids.slice(1, 2), { title: "b\nwith a second line" });
    expect(await walk(creator, { sort: "title", limit: "1" })).toEqual(["a", "b\nwith a second line", "c"]);
  });

  test.each(PIN_SORTS)("pages by %s stay complete while pins are added and deleted", async (sort) => {
    const creator = await setup.insertCreator();
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const ids = await titled(creator, names);
    await setTo(ids.slice(0, 3), { status: "scheduled", scheduledAt: new Date() });
    const before = await titles(creator, { sort });
    const byTitle = new Map(names.map((name, at) => [name, ids[at]]));
    const gone: string[] = [];
    const seen = await walk(creator, { sort, limit: "2" }, async (sofar) => {
      await setup.draft(creator, { title: `new ${sofar.length}` });
      // The last pin of the page.
      const last = sofar.at(-1) ?? "";
      const id = byTitle.get(last);
      if (!id) return;
      gone.push(last);
      await setup.harness.database.db.delete(pins).where(eq(pins.id, id));
    });
    expect(gone.length).toBeGreaterThan(1);
    const old = seen.filter((title) => !title.startsWith("new "));
    expect(old).toEqual(before);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("R-API-31 rejects a cursor of another order and an invalid one", async () => {
    const creator = await setup.insertCreator();
    await titled(creator, ["a", "b", "c"]);
    const cursors = new Map<string, string>();
    for (const sort of PIN_SORTS) cursors.set(sort, (await list(creator, { sort, limit: "1" })).nextCursor ?? "");
    for (const sort of PIN_SORTS) {
      for (const [other, cursor] of cursors) {
        if (other !== sort) await expect(list(creator, { sort, cursor })).rejects.toEqual(code("invalid"));
      }
      for (const cursor of ["x", "t.", "t.pin_1.%00", "t.pin_1.%FF", "t.pin_1.%", "s.zzzzzzzzz.", "o.0.", "s.1.pin;"]) {
        await expect(list(creator, { sort, cursor })).rejects.toEqual(code("invalid"));
      }
    }
  });
});
