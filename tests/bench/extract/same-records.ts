import { isDeepStrictEqual } from "node:util";
import type { ExpectedVideo } from "#tests/support/video-pages-seeded/page.ts";
import { READERS } from "./contenders.ts";

const withoutSources = ({ sources: _, ...record }: ExpectedVideo & { sources?: unknown }): ExpectedVideo => record;

/** Compares every reader's records with the expected ones, one by one. @returns the first difference, in a sentence. */
export function faultIn(html: string, expected: readonly ExpectedVideo[]): string | null {
  for (const [name, read] of Object.entries(READERS)) {
    const found = read(html).map(withoutSources);
    if (found.length !== expected.length) return `${name} found ${found.length} videos of ${expected.length}`;
    const at = found.findIndex((record, index) => !isDeepStrictEqual(record, expected[index]));
    if (at >= 0)
      return `${name}, record ${at + 1}: ${JSON.stringify(found[at])} is not ${JSON.stringify(expected[at])}`;
  }
  return null;
}
