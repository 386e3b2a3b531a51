import { extract } from "#lib/features/videos/engine/extract.ts";
import type { ExpectedVideo } from "#tests/support/video-pages-seeded/page.ts";
import { byEvents } from "./by-events.ts";
import { byCheerio, byNodeHtmlParser } from "./by-selectors.ts";

/** Including the sources of its fields, which no other contender reports. */
const ours = (html: string): ExpectedVideo[] => extract(html).videos;

/** Contenders that do the whole job: their records must be correct before their speed counts. */
export const READERS = {
  ours,
  nodeHtmlParser: byNodeHtmlParser,
  cheerio: byCheerio,
  htmlparser2: byEvents,
} as const satisfies Record<string, (html: string) => ExpectedVideo[]>;

const TAG = /<\/?[a-zA-Z][^>]*>/g;

/** Lower bounds: they scan the page and extract nothing. */
const SCANS = {
  tagScan: (html: string): number => {
    let tags = 0;
    TAG.lastIndex = 0;
    while (TAG.exec(html)) tags += 1;
    return tags;
  },
  indexOfScan: (html: string): number => {
    let results = 0;
    for (let at = html.indexOf('data-e2e="'); at >= 0; at = html.indexOf('data-e2e="', at + 1)) results += 1;
    return results;
  },
} as const satisfies Record<string, (html: string) => number>;

/** All contenders by name. */
export const CONTENDERS = { ...READERS, ...SCANS };
export type ContenderName = keyof typeof CONTENDERS;
