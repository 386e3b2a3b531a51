import { describe, expect, test } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";
import { pageOf } from "#tests/support/video-pages/fixture.ts";
import { LAYOUTS, makePage, periodsOf } from "#tests/support/video-pages-seeded/page.ts";

const shapes = LAYOUTS.map((layout) => ({ layout, period: periodsOf(layout).at(-1) ?? 2025 }));
const records = (html: string) => extract(html).videos.map(({ sources: _, id: __, ...record }) => record);
const makeOne = (shape: (typeof shapes)[number], seed: number) =>
  makePage({ ...shape, seed, disguise: seed, videos: 3 });

describe("pages that were pasted together", () => {
  test.each(shapes.flatMap((first) => shapes.map((second) => ({ first, second }))))(
    "R-VID-22 $first.layout and $second.layout: the videos of both, as each alone gives them",
    ({ first, second }) => {
      const [one, two] = [makeOne(first, 21), makeOne(second, 22)];
      const expected = [...records(one.html), ...records(two.html)];
      expect(expected).toHaveLength(6);
      for (const between of ["", "\n\n", "\n,\n"]) {
        const { videos, notice } = extract(one.html + between + two.html);
        expect(videos.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
        expect(notice).toBeNull();
        expect(records(one.html + between + two.html)).toEqual(expected);
      }
    },
  );

  test("R-VID-22 fragments: two bodies, or two elements of the app", () => {
    const [one, two] = [makeOne({ layout: "video", period: 2024 }, 1), makeOne({ layout: "profile", period: 2022 }, 2)];
    const expected = [...records(one.html), ...records(two.html)];
    const body = ({ html }: { html: string }) => html.slice(html.indexOf("<body>"), html.lastIndexOf("</html>"));
    expect(records(body(one) + body(two))).toEqual(expected);
    const app = (n: number) => {
      const related = `<a href="/@b/video/763869554322251914${n + 5}"><img alt="Other" src="/a.jpeg"></a>`;
      const main = `<div id="xgwrapper-0-763869554322251914${n}"></div><p data-e2e="browse-username">a${n}</p><p data-e2e="browse-video-desc">Video ${n}</p>`;
      return `<div id="app"><div>${main}</div><div>${related}</div></div>`;
    };
    expect(records(app(1) + app(2)).map(({ title }) => title)).toEqual(["Video 1", "Other", "Video 2", "Other"]);
  });

  test("R-VID-22 three pages, and a page that was cut off", () => {
    const pages = [1, 2, 3].map((seed) => makeOne({ layout: "search", period: 2025 }, seed).html);
    const [cut = "", ...others] = pages.map((html, n) => (n === 0 ? html.slice(0, html.lastIndexOf("</body>")) : html));
    expect(records([cut, ...others].join(""))).toEqual(pages.flatMap(records));
  });

  test("R-VID-22 a broken API response ends where a page begins", () => {
    const page = makeOne({ layout: "explore", period: 2025 }, 5);
    const answer = makeOne({ layout: "api", period: 2023 }, 6).html;
    const { videos, skipped } = extract(answer.slice(0, -40) + page.html);
    expect(videos).toHaveLength(5);
    expect(skipped).toMatchObject([{ reason: "bad-json", count: 1 }]);
  });
});

const ID = "763869554322251914";
const card = (n: number, inner = "") =>
  `<div><div data-e2e="user-post-item"><a href="/@ann/video/${ID}${n}"><img alt="Tile ${n}" src="https://x.test/${n}.jpeg"></a>${inner}</div></div>`;
const dataOf = (n: number, more: Record<string, unknown> = {}) =>
  `<script id="SIGI_STATE">${JSON.stringify({ ItemModule: { [n]: { id: `${ID}${n}`, desc: `Whole caption ${n}`, createTime: 1, author: "ann", ...more } } })}</script>`;

describe("a video on both pages", () => {
  const views = '<strong data-e2e="video-views">1.2K</strong>';

  test("R-VID-22 is listed once, with the fields of both", () => {
    const list = pageOf(card(1, views) + card(2));
    const watched = pageOf(
      `${dataOf(2, { stats: { playCount: 1_234, diggCount: 5 } })}<p data-e2e="browse-username">ann</p><p data-e2e="browse-video-desc">Whole caption 2</p>`,
    );
    const shown = (html: string) =>
      extract(html).videos.map(({ title, views_count, thumbnail_url }) => [title, views_count, thumbnail_url]);
    const one = ["Tile 1", "1.2K", "https://x.test/1.jpeg"];
    const two = ["Whole caption 2", "1234", "https://x.test/2.jpeg"];
    expect(shown(list + watched)).toEqual([one, two]);
    expect(shown(watched + list)).toEqual([two, one]);
    expect(shown(list + list)).toEqual([one, ["Tile 2", null, "https://x.test/2.jpeg"]]);
    expect(extract(list + list).skipped).toMatchObject([{ reason: "duplicate", count: 2 }]);
  });

  test("R-VID-22 the data of one page does not become the other's", () => {
    const stale = pageOf(dataOf(7) + card(1).replace("user-post-item", "challenge-item"));
    expect(extract(stale + pageOf(card(2))).videos.map(({ title }) => title)).toEqual(["Tile 1", "Tile 2"]);
  });
});

test("R-VID-24 countless pages and responses take linear time", () => {
  const page = `<!DOCTYPE html><html><body>${card(1)}</body></html>`;
  const floods = [
    page,
    `<html>${card(1)}`,
    "<html><body>",
    '<div id="app">',
    '</html>{"a":',
    "</html>{}",
    "{}",
    "[",
    '{"a":"<html>',
    '{"a":<html></html>',
  ];
  for (const flood of [...floods, `${card(1)}</html>${" ".repeat(50)}`]) {
    const html = flood.repeat(Math.ceil(1_000_000 / flood.length));
    expect(cpuMsOf(() => extract(html)).cpuMs, flood).toBeLessThan(1_500);
  }
});
