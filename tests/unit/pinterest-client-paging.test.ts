import { describe, expect, test } from "vitest";
import { type Page, readPages } from "#lib/integrations/pinterest/calls.ts";
import type { PinterestResult } from "#lib/integrations/pinterest/port.ts";

type Item = { id: string };

const page = (ids: string[], bookmark: string | null): PinterestResult<Page<Item>> => ({
  kind: "ok",
  value: { items: ids.map((id) => ({ id })), bookmark },
});

/** A listing with pages found by bookmark; counts its reads. */
const listing = (pages: Record<string, PinterestResult<Page<Item>>>) => {
  const read: string[] = [];
  return {
    read,
    readPage: async (bookmark: string | null) => {
      read.push(bookmark ?? "first");
      return pages[bookmark ?? "first"] ?? page([], null);
    },
  };
};

const idsOf = (answer: PinterestResult<Item[]>) => (answer.kind === "ok" ? answer.value.map(({ id }) => id) : answer);

describe("R-BRD-07 paging", () => {
  test("R-BRD-07 continues past short and empty pages to the end", async () => {
    const { readPage, read } = listing({
      first: page(["a", "b"], "2"),
      2: page([], "3"),
      3: page(["c"], "4"),
      4: page(["d"], null),
    });
    expect(idsOf(await readPages(readPage))).toEqual(["a", "b", "c", "d"]);
    expect(read).toEqual(["first", "2", "3", "4"]);
  });

  test("R-BRD-07 an item that moved to a later page counts once", async () => {
    const { readPage } = listing({ first: page(["a", "b"], "2"), 2: page(["b", "c"], null) });
    expect(idsOf(await readPages(readPage))).toEqual(["a", "b", "c"]);
  });

  test("R-BRD-07 a repeated bookmark is a problem, not a shorter list", async () => {
    const { readPage, read } = listing({ first: page(["a"], "2"), 2: page(["b"], "3"), 3: page(["c"], "2") });
    expect(await readPages(readPage)).toMatchObject({ kind: "problem", problem: { kind: "unavailable" } });
    expect(read).toHaveLength(3);
  });

  test("R-BRD-07 an endless list is a problem", async () => {
    let pages = 0;
    const answer = await readPages<Item>(async () => {
      pages += 1;
      return page([`item ${pages}`], `bookmark ${pages}`);
    });
    expect(answer).toMatchObject({ kind: "problem", problem: { kind: "unavailable" } });
    expect(pages).toBeLessThanOrEqual(400);
  });

  test("R-BRD-07 a problem on a later page is returned", async () => {
    const broken: PinterestResult<Page<Item>> = { kind: "problem", problem: { kind: "rate_limited", text: "Slowly." } };
    const { readPage } = listing({ first: page(["a"], "2"), 2: broken });
    expect(await readPages(readPage)).toEqual(broken);
  });

  test("R-SRV-03 stops early when a page is enough", async () => {
    const { readPage, read } = listing({ first: page(["a"], "2"), 2: page(["b"], "3"), 3: page(["c"], null) });
    expect(idsOf(await readPages(readPage, (items) => items.some(({ id }) => id === "b")))).toEqual(["a", "b"]);
    expect(read).toEqual(["first", "2"]);
  });
});
