import { describe, expect, test, vi } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { decodePaste } from "#lib/features/videos/engine/paste.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";
import { makePage } from "#tests/support/video-pages-seeded/page.ts";

const escaped = (html: string): string =>
  html
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
const inUnicode = (json: string): string => json.replaceAll("<", "\\u003c").replaceAll(">", "\\u003E");

const WAYS: Record<string, (html: string) => string> = {
  "HTML-escaped": escaped,
  "HTML-escaped, with numbers": (html) =>
    html.replaceAll("&", "&#38;").replaceAll("<", "&#60;").replaceAll('"', "&#x22;"),
  "HTML-escaped, without quotes": (html) =>
    html.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  "HTML-escaped in a pre element": (html) => `\n<pre class="x">${escaped(html)}</pre>`,
  "a JSON string": (html) => JSON.stringify(html),
  "a JSON string with \\u003c": (html) => inUnicode(JSON.stringify(html)),
  "a JSON string without its quotes": (html) => JSON.stringify(html).slice(1, -1),
  "a JSON string with \\u003c, without its quotes": (html) => inUnicode(JSON.stringify(html)).slice(1, -1),
  "a JSON string that begins with line breaks": (html) => ` ${JSON.stringify(`\n\n${html}`)}\n`,
  "a JSON string that is cut off": (html) => JSON.stringify(`${html}<p>more</p>`).slice(0, -3),
  "a JSON string with real line breaks": (html) => JSON.stringify(`${html}\n\n`).replaceAll("\\n", "\n"),
  "a JavaScript string in single quotes": (html) =>
    `'${html.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n").replaceAll("<", "\\x3C")}'`,
  "HTML-escaped, in a JSON string": (html) => JSON.stringify(escaped(html)),
  "a JSON string, HTML-escaped": (html) => escaped(inUnicode(JSON.stringify(html))),
  "a browser's view of the source": (html) =>
    `<html><head><title>view-source</title></head><body><table>${escaped(html)
      .split("\n")
      .map((line) => `<tr><td class="n" value="1"></td><td><span class="t">${line}\n</span></td></tr>`)
      .join("")}</table></body></html>`,
};

describe("a page that was pasted as text", () => {
  test.each(Object.entries(WAYS))("R-VID-22 gives the records of the page: %s", (_, way) => {
    for (const [layout, period] of [
      ["search", 2025],
      ["profile", 2022],
      ["video", 2024],
      ["hashtag", 2023],
    ] as const) {
      const { html } = makePage({ layout, period, seed: period, disguise: 2, videos: 5 });
      const plain = extract(html);
      const { videos, page, notice } = extract(way(html));
      expect([page, notice], layout).toEqual([plain.page, null]);
      expect(videos, layout).toEqual(plain.videos);
    }
  });

  test("R-VID-22 beside a page of cards, both are read", () => {
    const [one, two] = [3, 4].map((seed) => makePage({ layout: "search", period: 2025, seed, videos: 2 }));
    const urls = [...(one?.expected ?? []), ...(two?.expected ?? [])].map(({ video_url }) => video_url);
    const text = `${one?.html}\n${escaped(two?.html ?? "")}`;
    expect(extract(text).videos.map(({ video_url }) => video_url)).toEqual(urls);
  });

  test("R-VID-22 an API response in a string is one too", () => {
    const { html, expected } = makePage({ layout: "api", period: 2024, seed: 4, videos: 3 });
    for (const text of [JSON.stringify(html), JSON.stringify(html).slice(1, -1)]) {
      expect(extract(text).videos.map(({ video_url }) => video_url)).toEqual(
        expected.map(({ video_url }) => video_url),
      );
      expect(extract(text).page).toBe("api");
    }
  });

  test("R-VID-31 what it decodes stays text", () => {
    const card = `<div data-e2e="user-post-item"><a href="/@a/video/7638695543222519143"><img alt="&lt;script&gt;alert(1)&lt;/script&gt;" src="javascript:alert(1)"></a></div>`;
    expect(extract(escaped(`<html>${card}</html>`)).videos).toMatchObject([
      { title: "<script>alert(1)</script>", thumbnail_url: null },
    ]);
  });
});

describe("other pages", () => {
  test.each([
    "",
    " ",
    '"',
    "'<'",
    "&lt;3 this",
    "&amp;amp;amp;amp;lt;html",
    "plain &lt;b&gt; text",
    '<!DOCTYPE html><html lang="en"><script>var a = "<div class=\\"x\\">";</script>',
    "<html><body><script>f('<a href=\\\"/x\\\">')</script>",
    '{"itemList":[{"desc":"a \\"b\\" &lt;html"}]}',
    "[]",
    "<div>\\u003c</div>",
  ])("R-VID-22 are not changed: %j", (text) => {
    expect(decodePaste(text)).toBe(text);
  });

  test("R-VID-24 only the beginning of an ordinary page is looked at", () => {
    const html = `<!DOCTYPE html><html lang="en"><body>${"<p>&lt;x \\u003c</p>".repeat(200_000)}`;
    const replacing = vi.spyOn(String.prototype, "replaceAll");
    expect(decodePaste(html)).toBe(html);
    expect(replacing).not.toHaveBeenCalled();
    replacing.mockRestore();
    expect(cpuMsOf(() => decodePaste(html)).cpuMs).toBeLessThan(50);
  });

  test("R-VID-24 the size limit counts before decoding, and decoding is bounded and linear", () => {
    const card = (n: number) =>
      `<div data-e2e="user-post-item"><a href="/@a/video/763869554322251914${n}"><img alt="A" src="/a.jpeg"></a></div>`;
    const text = escaped(`<html>${card(1)}${card(2)}`);
    const place = text.lastIndexOf("&lt;div");
    expect(extract(text, { limits: { pageLength: place } })).toMatchObject({
      videos: [{ id: 1 }],
      skipped: [{ reason: "too-large", count: 1, offset: place }],
    });
    expect(decodePaste(escaped(escaped("<html>")))).toBe("<html>");
    const deep = Array.from({ length: 9 }).reduce<string>((html) => JSON.stringify(html), "<html>");
    expect(decodePaste(deep)).toMatch(/^"\\/);
    for (const flood of [
      "&lt;a&amp;",
      "&lt;a&#38;lt;",
      '"\\u003c\\\\\\"',
      '"<a b=\\"\\\\\\\\',
      "&lt;a &#x26;#",
      '"\\n\\n',
    ]) {
      const long = flood + flood.slice(1).repeat(300_000);
      expect(cpuMsOf(() => decodePaste(long)).cpuMs, flood).toBeLessThan(1_500);
    }
  });
});
