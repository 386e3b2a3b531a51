import { eq, inArray } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import type { PinId } from "#lib/core/ids.ts";
import { POST_SORTS } from "#lib/features/pins/constants.ts";
import { listPosts } from "#lib/features/pins/library.ts";
import { listPostsInput, title } from "#lib/features/pins/schema.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

const code = (expected: string) => expect.objectContaining({ code: expected });

const list = async (maker: Maker, query: Record<string, string> = {}) =>
  listPosts(maker.ctx, listPostsInput.parse({ accountId: maker.account.id, ...query }));

const titles = async (maker: Maker, query: Record<string, string> = {}): Promise<string[]> =>
  (await list(maker, query)).pins.map(({ title }) => title);

/** Drafts with these titles, a second apart, oldest first. */
const titled = async (maker: Maker, names: readonly string[], keyword = "kept aside"): Promise<PinId[]> => {
  const ids: PinId[] = [];
  for (const name of names) {
    ids.push(await world.draft(maker, { title: name, keyword }));
    await world.moveClock(1_000);
  }
  return ids;
};

const setTo = (ids: PinId[], row: Partial<typeof pins.$inferInsert>) =>
  world.house.database.db.update(pins).set(row).where(inArray(pins.id, ids));

/** Walks through all pages; `between` may change something after each. */
const walk = async (
  maker: Maker,
  query: Record<string, string>,
  between?: (seen: readonly string[]) => Promise<unknown>,
) => {
  const seen: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const found: Awaited<ReturnType<typeof list>> = await list(maker, { ...query, ...(cursor && { cursor }) });
    seen.push(...found.pins.map(({ title }) => title));
    cursor = found.nextCursor;
    if (cursor === null) return seen;
    await between?.(seen);
  }
};

describe("searching an account's pins", () => {
  test("R-POST-03 every word must be in title or keyword, in any case of any alphabet", async () => {
    const maker = await world.makeMaker();
    await titled(maker, ["Slow Sunday bread", "ÉCLAIRS for Sunday", "Тихая гавань", "Winter branches"]);
    await world.draft(maker, { title: "Something else", keyword: "Sunday roast" });
    expect(await titles(maker, { q: "sunday" })).toEqual(["Something else", "ÉCLAIRS for Sunday", "Slow Sunday bread"]);
    expect(await titles(maker, { q: "  BREAD  sun " })).toEqual(["Slow Sunday bread"]);
    expect(await titles(maker, { q: "éclair" })).toEqual(["ÉCLAIRS for Sunday"]);
    expect(await titles(maker, { q: "тИХ" })).toEqual(["Тихая гавань"]);
    expect(await titles(maker, { q: "sunday roast", status: "draft" })).toEqual(["Something else"]);
    expect(await titles(maker, { q: "sunday", status: "published" })).toEqual([]);
    expect(await titles(maker, { q: "nowhere" })).toEqual([]);
    expect(await titles(maker, { q: " " })).toHaveLength(5);
  });

  test("R-POST-03 letters that came in two parts are found by those in one, and the other way round", async () => {
    const maker = await world.makeMaker();
    const written = title.parse("Cafe\u0301 cre\u0300me");
    await titled(maker, [written]);
    expect(written).toBe("Caf\u00e9 cr\u00e8me");
    for (const q of ["caf\u00e9", "CAFE\u0301", "cr\u00e8me"])
      expect([q, await titles(maker, { q })]).toEqual([q, [written]]);
  });

  test("QUALITY 2 what means something to a database is looked for as it stands", async () => {
    const maker = await world.makeMaker();
    await titled(maker, ["100% linen", "snake_case", "back\\slash", "🍞 bread", "it's 'quoted'", "abc xyz"]);
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
    for (const [q, expected] of Object.entries(found)) expect([q, await titles(maker, { q })]).toEqual([q, expected]);
    expect(listPostsInput.safeParse({ accountId: "acc", q: "a".repeat(4_000) }).success).toBe(false);
    expect(await titles(maker, { q: "ab ".repeat(60).trim() })).toEqual(["abc xyz"]);
  });

  test("A-91 nobody finds, counts or pages through the pins of a foreign account", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    await titled(maker, ["Slow Sunday bread"]);
    for (const query of [
      { q: "bread" },
      { q: "b" },
      { counts: "true" },
      { sort: "due" },
      { sort: "title", limit: "1" },
    ]) {
      const foreign = listPostsInput.parse({ accountId: maker.account.id, ...query });
      await expect(listPosts(stranger.ctx, foreign)).rejects.toEqual(code("not_found"));
    }
    expect(await titles(stranger, { q: "bread" })).toEqual([]);
  });
});

describe("asking for some of an account's pins", () => {
  test("R-POST-03, A-91 by their ids: those that are there and the caller's, in the order asked for", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const [a, b, c] = await titled(maker, ["bread a", "bread b", "cake c"]);
    const [foreign] = await titled(stranger, ["bread foreign"]);
    await setTo([b as PinId], { status: "published" });
    const ids = [a, foreign, b, "pin_gone", b, c].join(",");
    expect(await titles(maker, { ids })).toEqual(["cake c", "bread b", "bread a"]);
    expect(await titles(maker, { ids, status: "published" })).toEqual(["bread b"]);
    expect(await titles(maker, { ids, q: "bread", sort: "title" })).toEqual(["bread a", "bread b"]);
    expect(await titles(maker, { ids: String(foreign) })).toEqual([]);
    expect(await walk(maker, { ids, limit: "1" })).toEqual(["cake c", "bread b", "bread a"]);
    expect((await list(maker, { ids: String(a), counts: "true" })).counts).toMatchObject({ all: 3, draft: 2 });
    const theirs = listPostsInput.parse({ accountId: maker.account.id, ids: String(a) });
    await expect(listPosts(stranger.ctx, theirs)).rejects.toEqual(code("not_found"));
  });

  test("QUALITY 2 no ids, too many and ids that are none are refused in words", () => {
    const refused = (ids: string) => listPostsInput.safeParse({ accountId: "acc", ids }).error?.issues[0]?.message;
    expect(refused("")).toBe("Choose at least one pin.");
    expect(refused(" ,, ".replaceAll(" ", ""))).toBe("Choose at least one pin.");
    expect(refused(Array.from({ length: 201 }, (_, n) => `pin_${n}`).join(","))).toBe(
      "At most 200 ids can be asked for at once.",
    );
    expect(refused("x".repeat(4_000))).toBe("This is not an id of ours.");
    expect(refused("pin_1,pin_1,pin_2")).toBeUndefined();
  });
});

describe("counting an account's pins", () => {
  test("R-POST-02 each state and all, or what a search finds of them, in whatever state is shown", async () => {
    const maker = await world.makeMaker();
    const ids = await titled(maker, ["bread a", "bread b", "bread c", "cake a", "cake b", "cake c"]);
    await setTo(ids.slice(1, 3), { status: "scheduled", scheduledAt: new Date() });
    await setTo(ids.slice(3, 4), { status: "published" });
    await setTo(ids.slice(4, 5), { status: "failed" });
    const all = { all: 6, draft: 2, scheduled: 2, published: 1, failed: 1 };
    expect((await list(maker, { counts: "true", status: "failed", limit: "1" })).counts).toEqual(all);
    const bread = { all: 3, draft: 1, scheduled: 2, published: 0, failed: 0 };
    expect((await list(maker, { counts: "true", q: "bread" })).counts).toEqual(bread);
    expect((await list(maker)).counts).toBeUndefined();
    const nobody = await world.makeMaker();
    expect((await list(nobody, { counts: "true" })).counts).toMatchObject({ all: 0, draft: 0 });
  });

  test("what its owner deleted is neither listed nor counted nor found", async () => {
    const maker = await world.makeMaker();
    const [gone] = await titled(maker, ["bread a", "bread b"]);
    if (!gone) throw new Error("There is no pin.");
    await world.house.database.db
      .update(pins)
      .set({ status: "deleted", deletedAt: new Date(), deletedFrom: "draft" })
      .where(eq(pins.id, gone));
    for (const sort of POST_SORTS) expect(await titles(maker, { sort, q: "bread" })).toEqual(["bread b"]);
    expect((await list(maker, { counts: "true" })).counts).toMatchObject({ all: 1 });
  });
});

describe("sorting and paging an account's pins", () => {
  test("four orders: newest, oldest, what goes out next before the rest, and titles as people sort them", async () => {
    const maker = await world.makeMaker();
    const ids = await titled(maker, ["banana", "Éclair", "apple", "Zucchini", "Apple"]);
    const soon = new Date(Date.now() + 1_000);
    await setTo(ids.slice(1, 2), { status: "scheduled", scheduledAt: new Date(Date.now() + 2_000) });
    await setTo(ids.slice(3, 4), { status: "scheduled", scheduledAt: soon });
    expect(await titles(maker)).toEqual(["Apple", "Zucchini", "apple", "Éclair", "banana"]);
    expect(await titles(maker, { sort: "oldest" })).toEqual(["banana", "Éclair", "apple", "Zucchini", "Apple"]);
    expect(await titles(maker, { sort: "due" })).toEqual(["Zucchini", "Éclair", "Apple", "apple", "banana"]);
    expect(await titles(maker, { sort: "due", status: "scheduled" })).toEqual(["Zucchini", "Éclair"]);
    expect(await titles(maker, { sort: "due", status: "draft" })).toEqual(["Apple", "apple", "banana"]);
    expect(await titles(maker, { sort: "title" })).toEqual(["apple", "Apple", "banana", "Éclair", "Zucchini"]);
  });

  test("R-POST-03 pages of any order and size are the whole list once, also where times and titles are the same", async () => {
    const maker = await world.makeMaker();
    const names = ["twin", "twin", "twin", "Größe 🍞", "100%", "twin", "last"];
    const ids: PinId[] = [];
    for (const title of names) ids.push(await world.draft(maker, { title }));
    const at = new Date();
    await setTo(ids, { createdAt: at });
    await setTo(ids.slice(0, 3), { status: "scheduled", scheduledAt: at });
    for (const sort of POST_SORTS) {
      const whole = (await list(maker, { sort })).pins.map(({ title }) => title);
      for (const limit of ["1", "2", "3", "7"]) expect(await walk(maker, { sort, limit })).toEqual(whole);
    }
    expect(await walk(maker, { sort: "title", limit: "1", q: "twin" })).toHaveLength(4);
  });

  test("R-POST-03 a title with a line break is a page's end like any other", async () => {
    const maker = await world.makeMaker();
    const ids = await titled(maker, ["a", "b", "c"]);
    await setTo(ids.slice(1, 2), { title: "b\nwith a second line" });
    expect(await walk(maker, { sort: "title", limit: "1" })).toEqual(["a", "b\nwith a second line", "c"]);
  });

  test.each(POST_SORTS)("pages by %s stay whole while pins are added and deleted between them", async (sort) => {
    const maker = await world.makeMaker();
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const ids = await titled(maker, names);
    await setTo(ids.slice(0, 3), { status: "scheduled", scheduledAt: new Date() });
    const before = await titles(maker, { sort });
    const byTitle = new Map(names.map((name, at) => [name, ids[at]]));
    const gone: string[] = [];
    const seen = await walk(maker, { sort, limit: "2" }, async (sofar) => {
      await world.draft(maker, { title: `new ${sofar.length}` });
      // The very pin at which the page ended.
      const last = sofar.at(-1) ?? "";
      const id = byTitle.get(last);
      if (!id) return;
      gone.push(last);
      await world.house.database.db.delete(pins).where(eq(pins.id, id));
    });
    expect(gone.length).toBeGreaterThan(1);
    const old = seen.filter((title) => !title.startsWith("new "));
    expect(old).toEqual(before);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("R-API-31 a cursor of another order, or of nobody's, is refused", async () => {
    const maker = await world.makeMaker();
    await titled(maker, ["a", "b", "c"]);
    const cursors = new Map<string, string>();
    for (const sort of POST_SORTS) cursors.set(sort, (await list(maker, { sort, limit: "1" })).nextCursor ?? "");
    for (const sort of POST_SORTS) {
      for (const [other, cursor] of cursors) {
        if (other !== sort) await expect(list(maker, { sort, cursor })).rejects.toEqual(code("invalid"));
      }
      for (const cursor of ["x", "t.", "t.pin_1.%00", "t.pin_1.%FF", "t.pin_1.%", "s.zzzzzzzzz.", "o.0.", "s.1.pin;"]) {
        await expect(list(maker, { sort, cursor })).rejects.toEqual(code("invalid"));
      }
    }
  });
});
