import { describe, expect, test } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { DATA } from "#tests/support/video-pages/data.ts";
import { FEEDS } from "#tests/support/video-pages/feeds.ts";
import { pageOf } from "#tests/support/video-pages/fixture.ts";
import { LISTS } from "#tests/support/video-pages/lists.ts";
import { WITHOUT_VIDEOS } from "#tests/support/video-pages/without-videos.ts";

const skippedOf = (html: string): Record<string, number> =>
  Object.fromEntries(extract(html).skipped.map(({ reason, count }) => [reason, count]));

describe("pages of each kind and period", () => {
  test.each([...LISTS, ...FEEDS, ...DATA])("R-VID-22 R-VID-23 A-73 A-82 $name", ({ html, page, videos, skipped }) => {
    const extraction = extract(html);
    expect(extraction.videos).toEqual(videos);
    expect(extraction.page).toBe(page);
    expect(extraction.notice).toBeNull();
    expect(skippedOf(html)).toEqual(skipped ?? {});
  });

  test.each(WITHOUT_VIDEOS)("A-77 R-VID-25 no videos, and why: $name", ({ html, page, notice }) => {
    expect(extract(html)).toMatchObject({ videos: [], page, notice });
  });
});

const tile = (href: string, inner = ""): string =>
  `<div data-e2e="user-post-item"><a href="${href}"><img alt="A tile" src="https://p16.tiktokcdn.com/a.jpeg"></a>${inner}</div>`;

describe("unreadable and oversized input", () => {
  test("R-VID-24 unreadable items are counted with the first offset, the rest is kept", () => {
    const first = pageOf("").indexOf("</body>");
    const html = pageOf(
      `${tile("/@a/video/99999999999999999999")}${tile("/@a/video/7638695543222519143")}<div data-e2e="user-post-item"></div>${tile("/elsewhere")}`,
    );
    const { videos, skipped } = extract(html);
    expect(videos.map(({ id, video_url }) => [id, video_url])).toEqual([
      [1, "https://www.tiktok.com/@a/video/7638695543222519143"],
    ]);
    expect(skipped).toEqual([
      { reason: "bad-id", count: 1, offset: first },
      { reason: "no-link", count: 2, offset: html.indexOf('<div data-e2e="user-post-item"></div>') },
    ]);
  });

  test("R-VID-31 only http(s) URLs are returned, and markup in texts stays text", () => {
    const html = pageOf(
      `<div data-e2e="user-post-item"><a href="/@a/video/7638695543222519143"><img alt="&lt;img src=x onerror=alert(1)&gt;" src="javascript:alert(1)" onload="alert(1)"></a><script>alert(1)</script></div>`,
    );
    expect(extract(html).videos).toMatchObject([
      { thumbnail_url: null, title: "<img src=x onerror=alert(1)>", author: "a" },
    ]);
  });

  test("R-VID-24 a page beyond the limits is read up to them", () => {
    const html = pageOf(tile("/@a/video/7638695543222519143") + tile("/@a/video/7639082090279159143"));
    const place = html.lastIndexOf("<div data-e2e");
    expect(extract(html, { limits: { pageLength: place } })).toMatchObject({
      videos: [{ id: 1 }],
      skipped: [{ reason: "too-large", count: 1, offset: place }],
    });
    expect(extract(html, { limits: { videos: 1 } })).toMatchObject({
      videos: [{ id: 1 }],
      skipped: [{ reason: "too-many", count: 1 }],
    });
  });

  test("R-VID-24 a misnested caption gives its text, one beyond the limits is skipped", () => {
    const caption = (inner: string): string =>
      pageOf(tile("/@a/video/7638695543222519143", `<div data-e2e="user-post-item-desc">${inner}</div>`));
    expect(extract(caption("<b>one <i>two</b> three</i>")).videos[0]?.title).toBe("one two three");
    expect(extract(caption("<b>".repeat(3_000))).videos[0]?.title).toBe("A tile");
    const long = caption(`<b>x</b>${"y".repeat(70_000)}`);
    expect(extract(long).videos[0]?.title).toBe("A tile");
    expect(skippedOf(long)).toEqual({ "too-large": 1 });
  });

  test("R-VID-22 progress rises to 1", () => {
    const shares: number[] = [];
    extract(pageOf("<p>filler</p>".repeat(400_000)), { onProgress: (share) => shares.push(share) });
    expect(shares.length).toBeGreaterThan(3);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });
});
