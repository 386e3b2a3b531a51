import { TextNode } from "node-html-parser";
import { describe, expect, test, vi } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { decode } from "#lib/features/videos/engine/text.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";

const LINK = '<a href="/@a/video/7638695543222519143"';
const titleOfAlt = (alt: string): string | null | undefined =>
  extract(`<div data-e2e="explore-item">${LINK}><img alt="${alt}" src="/a.jpeg"></a></div>`).videos[0]?.title;
const titleOfLink = (title: string): string | null | undefined =>
  extract(`<div data-e2e="explore-feed-item">${LINK} title="${title}"></a></div>`).videos[0]?.title;

describe("the caption in an alt text", () => {
  test.each([
    ["Soup created by Ann with original sound", "Soup"],
    ["Soup created by Ann with original sound - song created by Mozart", "Soup"],
    ["Made with love, created by Ann with original sound - Ann", "Made with love,"],
    ["A song created by Eve with care created by Ann with a sound", "A song created by Eve with care"],
    ["Soup\ncreated by Bob with sound", "Soup"],
    ["Soup created  by Bob\twith sound", "Soup"],
    ["Soup created by Bob", "Soup created by Bob"],
    ["With you, with me created by Bob", "With you, with me created by Bob"],
    ["Soup recreated by Bob with salt", "Soup recreated by Bob with salt"],
    ["created by Bob with sound", null],
  ])("R-VID-22 %j is %j", (alt, title) => {
    expect(titleOfAlt(alt)).toBe(title);
  });
});

describe("the caption in a link title", () => {
  test.each([
    ["Soup for tired peo… | TikTok", "Soup for tired peo…"],
    ["Soup \n |  tiktok ", "Soup"],
    ["Soup|TikTok", "Soup"],
    ["Soup | TikTok | more", "Soup | TikTok | more"],
    ["| TikTok", null],
  ])("R-VID-22 %j is %j", (title, caption) => {
    expect(titleOfLink(title)).toBe(caption);
  });
});

describe("unclosed hashtag links", () => {
  test("R-VID-22 are read separately, and a count after the last one too", () => {
    const html = `<div data-e2e="user-post-item">${LINK}></a><a href="/tag/soup">#Soup <a href="/tag/stew"><strong>#Stew</strong> <a href="/tag/pie">#pie<strong data-e2e="video-views">1.2K</strong></div>`;
    expect(extract(html).videos).toMatchObject([{ hashtags: ["Soup", "Stew", "pie"], views_count: "1.2K" }]);
  });

  test("R-VID-22 one that ends too far away is read from its URL", () => {
    const html = `<div data-e2e="user-post-item">${LINK}></a><a href="/tag/soup">#Soup ${"<i></i>".repeat(1_000)}</a></div>`;
    expect(extract(html).videos).toMatchObject([{ hashtags: ["soup"] }]);
  });
});

describe("a watched video among many", () => {
  test("R-VID-24 its long caption is not read again for each video of the data", () => {
    const items = Array.from({ length: 25_000 }, (_, n) => `"${n}":{"id":"${n + 1}","desc":"zz","createTime":1}`);
    const html = `<p data-e2e="video-desc">${"a.".repeat(2_500)}</p><script id="SIGI_STATE">{"ItemModule":{${items.join(",")}}}</script>`;
    const { result, cpuMs } = cpuMsOf(() => extract(html));
    expect(result.skipped).toContainEqual({ reason: "no-link", count: 1, offset: 0 });
    expect(cpuMs).toBeLessThan(800);
  });
});

describe("character references", () => {
  test("R-VID-22 are decoded once, and other text stays", () => {
    expect(titleOfAlt("&lt;b&gt; &amp;lt; &eacute;&#39;&#x1F600; &nope; &t=1 &notit; &")).toBe(
      "<b> &lt; é'😀 &nope; &t=1 ¬it; &",
    );
  });

  test("R-VID-24 many references cost one parser call, not one each", () => {
    const resolving = vi.spyOn(TextNode.prototype, "text", "get");
    const flood = "&nope; &amp;&t=1".repeat(10_000);
    expect(decode(flood)).toBe("&nope; &&t=1".repeat(10_000));
    expect(resolving).toHaveBeenCalledTimes(1);
    resolving.mockRestore();
  });
});
