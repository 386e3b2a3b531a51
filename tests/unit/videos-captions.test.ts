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
    ["a template in a template", "<template><template>a</template>b</template><b>Soup</b>"],
    ["templates in misnested markup", "<b><i>So</b>up</i><template><template>a</template>b</template>"],
    ["a frame", "<iframe src=x><p>Your browser has no frames</p></iframe>Soup"],
    ["a field", "<textarea>Add a comment</textarea>Soup"],
    ["what a player shows without its codec", "<video>Your browser has no video</video><canvas>none</canvas>Soup"],
    ["an icon's metadata", "<svg><metadata><b>Made with x</b></metadata></svg>Soup"],
    ["a frame beside a part that is left out", '<iframe>x</iframe>Soup<p data-e2e="video-user-name">ann</p>'],
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

describe("words that markup separates", () => {
  test.each([
    ["a line break", "Hot<br>soup"],
    ["a closed line break", "Hot<br/>soup"],
    ["a line break with attributes", '<span>Hot<br class="x" />soup</span>'],
    ["a rule", "Hot<hr>soup"],
    ["paragraphs", "<p>Hot</p><p>soup</p>"],
    ["blocks", '<div class="a">Hot</div><div>soup</div>'],
    ["a block behind text", "Hot<div>soup</div>"],
    ["a block before text", "<div>Hot</div>soup"],
    ["entries of a list", "<ul><li>Hot</li><li>soup</li></ul>"],
    ["cells", "<table><tr><td>Hot</td><td>soup</td></tr></table>"],
    ["misnested blocks", "<b><p>Hot</b></p><i>soup</i>"],
    ["line breaks in misnested markup", "<b><i>Hot</b><br>soup</i>"],
    ["upper case", "Hot<BR>soup"],
    ["blocks in upper case", "<P>Hot</P><P>soup</P>"],
    ["beside a part that is left out", '<p>Hot</p><p>soup</p><p data-e2e="video-user-name">ann</p>'],
    ["line breaks beside a part that is left out", 'Hot<br>soup<i data-e2e="video-user-name">ann</i>'],
  ])("R-VID-22 stay separate: %s", (_, caption) => {
    expect(titleOf(caption)).toEqual(["Hot soup"]);
  });

  test("R-VID-22 inline elements and places where a word may break join their parts", () => {
    expect(titleOf("H<b>o</b>t s<wbr>o<span>u</span>p")).toEqual(["Hot soup"]);
    expect(titleOf('H<b>o</b>t s<wbr>o<u>u</u>p<i data-e2e="video-user-name">ann</i>')).toEqual(["Hot soup"]);
  });

  test("R-VID-22 hashtags end there", () => {
    const tags = (caption: string) => extract(cardWith(caption)).videos.map(({ hashtags }) => hashtags);
    expect(tags("Soup #hot<br>and<p>#thick</p>spicy")).toEqual([["hot", "thick"]]);
    expect(tags('<a href="/tag/hot"><div>#hot</div></a>more')).toEqual([["hot"]]);
  });
});
