import { isDeepStrictEqual } from "node:util";
import type { ExpectedVideo } from "#tests/support/video-pages-seeded/page.ts";
import { READERS } from "./contenders.ts";

const withoutSources = ({ sources: _, ...record }: ExpectedVideo & { sources?: unknown }): ExpectedVideo => record;

/** Compares every contender's records with the expected ones. Returns the first difference. */
export function faultIn(html: string, expected: readonly ExpectedVideo[]): string | null {
  for (const [name, read] of Object.entries(READERS)) {
    const results = read(html).map(withoutSources);
    if (results.length !== expected.length) return `${name} found ${results.length} videos of ${expected.length}`;
    const at = results.findIndex((record, index) => !isDeepStrictEqual(record, expected[index]));
    if (at >= 0)
      return `${name}, record ${at + 1}: ${JSON.stringify(results[at])} is not ${JSON.stringify(expected[at])}`;
  }
  return null;
}
