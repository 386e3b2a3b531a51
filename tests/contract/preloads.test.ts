import { describe, expect, test } from "vitest";
import { FONT_FILES } from "#components/fonts/files.ts";
import { PAGE_PATHS } from "#components/site/page-copy.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { openSession } from "./wire-harness.ts";

const SCREENS = ["/app", "/app/settings", "/app/generated-posts"];

/** The font preloads of a document, in its HTML or its Link header. */
const preloadsOf = ({ text, headers }: { text: string; headers: Headers }): string[] => {
  const inside = text.matchAll(/<link rel="preload" href="(\/fonts\/[^"]+)" as="font"[^>]*>/g);
  const ahead = (headers.get("link") ?? "").matchAll(/<(\/fonts\/[^>]+)>; rel=preload; as="font"/g);
  return [...ahead, ...inside].map(([, path = ""]) => path);
};

/** The content of a page as a prefetched link receives it. */
const contentOf = async (path: string, cookie: string): Promise<string> => {
  const headers = { cookie, rsc: "1", "sec-fetch-dest": "empty", referer: "http://localhost:3000/pricing" };
  const first = await callApp(path, { headers });
  // Next asks for the query that belongs to these headers.
  const location = first.headers.get("location");
  const answer = location === null ? first : await callApp(location, { headers });
  expect([path, answer.headers.get("content-type")]).toEqual([path, expect.stringContaining("text/x-component")]);
  return answer.text;
};

describe("fonts of the first paint", () => {
  test.each([...PAGE_PATHS, ...SCREENS])("%s preloads fonts in its document, but not when prefetched", async (path) => {
    const { cookie } = await openSession({ callApp });
    const preloads = preloadsOf(await callApp(path, { headers: { cookie } }));
    expect(preloads).toContain(FONT_FILES["hanken-grotesk"]);
    expect(preloads.length).toBeGreaterThan(1);
    expect(preloads).toHaveLength(new Set(preloads).size);
    expect(await contentOf(path, cookie)).not.toContain("/fonts/");
  });
});
