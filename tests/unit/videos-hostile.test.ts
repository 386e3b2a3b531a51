import { describe, expect, test } from "vitest";
import { viewsOf } from "#lib/features/videos/engine/analysis.ts";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";
import { fc } from "#tests/support/properties.ts";
import { ATTACKS } from "#tests/support/video-pages-seeded/attacks.ts";
import { PAYLOADS, pageOfPayload } from "#tests/support/video-pages-seeded/payloads.ts";
import { validExtraction } from "#tests/support/video-pages-seeded/valid.ts";

const LENGTH = 300_000;
/** A quadratic parser needs minutes for one of these; ours needs a few milliseconds. */
const CPU_MS_MAX = 1_000;

const problems = (answer: unknown) => validExtraction.safeParse(answer).error?.issues ?? [];

describe("crafted attacks", () => {
  test.each(ATTACKS)("R-VID-24, R-VID-31 $name: fast and valid, normal cards around it are kept", ({ make, cards }) => {
    const html = make(LENGTH);
    const { result, cpuMs } = cpuMsOf(() => extract(html));
    expect(problems(result)).toEqual([]);
    expect(result.videos.map(({ video_url }) => video_url)).toEqual(expect.arrayContaining([...cards]));
    expect(cpuMs).toBeLessThan(CPU_MS_MAX);
  });

  test("R-VID-24 pasted data cannot change built-in objects", () => {
    extract('{"itemList":[{"id":"7301234567890123456","__proto__":{"isAdmin":true}}],"__proto__":{"isAdmin":true}}');
    extract(
      '<script id="SIGI_STATE">{"ItemModule":{"__proto__":{"id":"7301234567890123456","isAdmin":true}}}</script>',
    );
    expect("isAdmin" in {}).toBe(false);
  });

  test("R-VID-25 text that is not a page returns no videos", () => {
    for (const html of ["", " ", "\0", "\ud800", "<", "{", "[]", "null", "0", '"', "plain words", "{}".repeat(9)]) {
      const answer = extract(html);
      expect(problems(answer), JSON.stringify(html)).toEqual([]);
      expect(answer.videos).toEqual([]);
    }
  });
});

describe("scripts and event handlers in every field", () => {
  test.each(PAYLOADS)("R-VID-31 in markup and data only plain values are returned: %s", (payload) => {
    for (const form of ["dom", "json"] as const) {
      const answer = extract(pageOfPayload(payload, form));
      expect(problems(answer)).toEqual([]);
      for (const { title, thumbnail_url } of answer.videos) {
        expect(thumbnail_url).toBeNull();
        // The text stays unchanged; the screen must render it as text.
        expect(title).toContain(payload.replace(/\s+/g, " ").trim());
      }
      expect(answer.videos).toHaveLength(1);
    }
  });

  test("R-VID-31 a thumbnail whose URL cannot be stored is null", () => {
    for (const url of ["https://x.test/a\0b.jpeg", "https://x.test/\u007f", "https://x.test/\u0085"]) {
      const { videos } = extract(pageOfPayload(url, "json"));
      expect(videos.map(({ thumbnail_url }) => thumbnail_url)).toEqual([null]);
    }
  });

  test("R-VID-31 a script link is not a video", () => {
    const hrefs = [
      "javascript:alert(1)",
      "data:text/html,<script>",
      "vbscript:x",
      "//evil.test/x",
      "https://evil.test/",
    ];
    for (const href of hrefs) {
      const answer = extract(`<div data-e2e="user-post-item"><a href="${href}"><img alt="x"></a></div>`);
      expect(problems(answer)).toEqual([]);
      expect(answer.videos).toEqual([]);
    }
  });
});

describe("odd counts", () => {
  test.each([
    ["1.2K", 1_200],
    ["3M", 3_000_000],
    ["1,234", 1_234],
    ["987", 987],
    [null, 0],
    ["1,2 млн", 1_200_000],
    ["3万", 30_000],
    ["万", 0],
    ["-5", 0],
    ["2.5b", 2_500_000_000],
    ["", 0],
    ["K", 0],
    ["…", 0],
  ])("R-VID-30, A-72 %j is %i views", (text, views) => {
    expect(viewsOf(text)).toBe(views);
  });

  test("R-VID-30 a count is always a whole number that can be summed", () => {
    const unit = fc.constantFrom("", "K", "m", "B", "万", " млн", "%", "e9", "Infinity", "١");
    const digits = fc.stringMatching(/^[-+]?[\d.,' \u00a0]{0,30}$/);
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.tuple(digits, unit).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const views = viewsOf(text);
        expect(Number.isSafeInteger(views) && views >= 0, text).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(viewsOf("1.2.3K")).toBe(0);
  });
});
