import { describe, expect, test } from "vitest";
import { creatorRowsOf, creatorRowsUrl } from "#lib/core/paths.ts";
import {
  linesOf,
  plausibleDate,
  searchEntries,
  siteOf,
  siteProblemText,
  suggestKeyword,
  titleOfUrl,
  toAddress,
} from "#lib/features/sites/policy.ts";

describe("addresses", () => {
  test("a host name is enough, and only web pages without credentials count", () => {
    expect(toAddress(" moss.example ")).toBe("https://moss.example/");
    expect(toAddress("http://moss.example/feed")).toBe("http://moss.example/feed");
    for (const text of ["moss", "ftp://moss.example", "https://a:b@moss.example", "two words.example", ""]) {
      expect(toAddress(text)).toBeNull();
    }
  });

  test("a list is split at lines, spaces, and commas before the next URL", () => {
    expect(linesOf("https://a.example/1,2\nhttps://a.example/3, https://a.example/4\n\nhttps://a.example/3")).toEqual([
      ...["https://a.example/1,2", "https://a.example/3", "https://a.example/4"],
    ]);
  });

  test("rights are asked for by host name", () => {
    expect(siteOf("https://www.moss.example/a")).toBe("moss.example");
    expect(siteOf("https://one.shop.example/a")).toBe("one.shop.example");
  });
});

describe("dates of a site", () => {
  test.each([
    ["2026-11-20", true],
    ["2026-11-28T11:00:00Z", true],
    ["2026-11-28T13:00:00Z", false],
    ["+020226-11-20T00:00:00Z", false],
    ["1990-01-01", true],
    ["1989-12-31", false],
    ["-000044-03-15T00:00:00Z", false],
  ])("%s may be right on November 27, 2026: %s", (text, isPlausible) => {
    const date = new Date(text);
    expect(plausibleDate(date, new Date("2026-11-27T12:00:00Z"))).toEqual(isPlausible ? date : null);
  });
});

describe("titles and keywords", () => {
  test.each([
    ["https://m.example/blog/2026/moss-garden_ideas.html", "Moss garden ideas"],
    ["https://m.example/p/caf%C3%A9-tables/", "Café tables"],
    ["https://m.example/moss/%E0%A4%A", "Moss"],
    ["https://m.example/", "M.example"],
    ["https://m.example/2026/11/", "M.example"],
    ["https://m.example/blog/moss%00garden%07", "Mossgarden"],
  ])("the title of %s is %s", (url, title) => {
    expect(titleOfUrl(url)).toBe(title);
  });

  test.each([
    ["Lemon tart | Moss Kitchen", [], "lemon tart"],
    ["Linen apron – Fern & Fork", [], "linen apron"],
    ["The 12 best ferns for a dark bathroom (with photos)", [], "the 12 best ferns for a dark"],
    ["Everything that you ever wanted to know about ferns", ["ferns", "fern care tips"], "fern care tips"],
    ["🌿✨", [], "moss mug"],
    ["Moss-covered walls, 1.5 m high!", [], "moss-covered walls 1.5 m high"],
  ])("the keyword of %s is the same each time", (title, tags, keyword) => {
    const page = { url: "https://m.example/moss-mug", title, tags };
    expect(suggestKeyword(page)).toBe(keyword);
    expect(suggestKeyword(page)).toBe(keyword);
  });

  test("a search finds words in title and URL, and the newest pages come first", () => {
    const page = (url: string, date: string | null) => ({
      ...{ url: `https://m.example/${url}`, title: null, image: null, tags: [] },
      date: date === null ? null : new Date(date),
    });
    const pages = [page("old-moss", "2026-01-01"), page("undated-fern", null), page("new-moss", "2026-11-01")];
    expect(searchEntries(pages, "").map(({ url }) => url.slice(18))).toEqual(["new-moss", "old-moss", "undated-fern"]);
    expect(searchEntries(pages, "MOSS old")).toEqual([pages[0]]);
  });
});

test("each reason has a sentence of its own, and statuses keep theirs", () => {
  const reasons =
    "blocked spent too_large not_page not_feed not_address entities charset empty login no_text busy".split(" ");
  const texts = reasons.map((reason) => siteProblemText({ reason, status: null }));
  expect(new Set(texts).size).toBe(reasons.length);
  expect(siteProblemText({ reason: "status", status: 403 })).toContain("(403)");
});

describe("rows for the creator", () => {
  const rows = [
    { keyword: "moss & fern", url: "https://m.example/?a=1&b=ü#x", imageSource: "page" as const },
    { keyword: "café", url: "", imageSource: "generated" as const },
  ];
  const bounds = { count: 100, keyword: 200, url: 2_048 };

  test("come back from the fragment as they were", () => {
    const url = creatorRowsUrl("/app/creator", rows);
    expect(url.startsWith("/app/creator#keyword=")).toBe(true);
    expect(creatorRowsOf(new URL(url, "https://a.example").hash, bounds)).toEqual(rows);
  });

  test("are bounded, and nonsense is none", () => {
    const many = Array.from({ length: 300 }, () => ({ ...rows[0], keyword: "x".repeat(300) })) as typeof rows;
    const read = creatorRowsOf(new URL(creatorRowsUrl("/c", many), "https://a.example").hash, bounds);
    expect([read.length, read[0]?.keyword.length]).toEqual([100, 200]);
    for (const hash of ["", "#main", "#url=https://a.example", "#keyword=&url=x"]) {
      expect(creatorRowsOf(hash, bounds)).toEqual([]);
    }
  });
});
