import { describe, expect, test } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";

const LINK = '<a href="/@ann/video/7638695543222519143">';
const cardWith = (caption: string, alt = ""): string =>
  `<div data-e2e="user-post-item">${LINK}<img alt="${alt}" src="/a.jpeg"></a><div data-e2e="user-post-item-desc">${caption}</div></div>`;
const titleOf = (caption: string) => extract(cardWith(caption)).videos.map(({ title }) => title);

describe("text that a page does not show", () => {
  test.each([
    ["a style", '<style>.a{color:#fff}</style><span class="b">Soup</span>'],
    ["a style of an emotion cache", '<style data-emotion="css a1">.css-a1{margin:0}</style>Soup'],
    ["a script", "<span>Soup</span><script>window.x='<b>no</b>'</script>"],
    ["a noscript", "<noscript><img src=x> Turn on JavaScript</noscript>Soup"],
    [
      "an icon's title and description",
      "<svg><title>Verified badge</title><desc>Icon</desc><path d=M0></path></svg>Soup",
    ],
    ["a template", "<template><p>later</p></template><b>Soup</b>"],
    ["a style in misnested markup", "<b><i>So</b>up</i><style>.a{}</style>"],
    ["a style in upper case", "<STYLE>.a{}</STYLE>Soup"],
    ["a style that never ends", "Soup<style>.a{}"],
    ["beside a part that is left out", '<style>.a{}</style>Soup<p data-e2e="video-user-name">ann</p>'],
  ])("R-VID-22 is not in the caption: %s", (_, caption) => {
    expect(titleOf(caption)).toEqual(["Soup"]);
  });

  test("R-VID-22 is not in the name of a hashtag, an author, a count or a date", () => {
    const icon = "<svg><title>Icon</title></svg>";
    const html =
      `<div data-e2e="user-post-item"><a href="/video/7638695543222519143"><img alt="Soup" src="/a.jpeg">` +
      `<div class="css-1-DivTimeTag">${icon}3d ago</div></a><p data-e2e="search-card-user-unique-id">${icon}ann</p>` +
      `<strong data-e2e="video-views">${icon}1.2K</strong>` +
      `<div data-e2e="user-post-item-desc">Soup <a href="/tag/other">${icon}<style>.a{}</style>#Soup</a><a href="/tag/x"><a>#pie</a></a></div></div>`;
    expect(extract(html).videos).toMatchObject([
      { author: "ann", views_count: "1.2K", date_posted: "3d ago", hashtags: ["Soup", "pie"] },
    ]);
  });

  test("R-VID-24 many styles in a caption take linear time", () => {
    const html = cardWith("<style>".repeat(9_000)).repeat(20) + cardWith("<style></style>".repeat(4_000)).repeat(20);
    expect(cpuMsOf(() => extract(html)).cpuMs).toBeLessThan(1_000);
  });
});
