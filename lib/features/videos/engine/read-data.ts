import type { Page, Reading } from "./read-card.ts";
import { isItem, itemWithin, readItem } from "./read-item.ts";
import { type JsonItem, JsonScanner } from "./scan-json.ts";

/** Beyond the limits of size and depth an object is not parsed at all. */
const parseItem = ({ html, limits, skips }: Page, { from, to, depth }: JsonItem): unknown => {
  if (to < 0) skips.add("bad-json", from);
  else if (to - from > limits.itemLength || depth > limits.itemDepth) skips.add("too-large", from);
  else {
    try {
      return JSON.parse(html.slice(from, to));
    } catch {
      // Broken JSON is part of what is pasted: it is counted, and the rest is read.
      skips.add("bad-json", from);
    }
  }
  return null;
};

/** Reads the videos of the JSON between two places of the page into `known`; the first of each id stays. */
export const readData = (page: Page, from: number, to: number, known: Map<string, Reading>): void => {
  const scanner = new JsonScanner(page.html, from, to);
  for (let place = scanner.next(); place; place = scanner.next()) {
    const parsed = parseItem(page, place);
    const item = isItem(parsed) ? parsed : itemWithin(parsed);
    if (!isItem(item)) continue;
    const reading = readItem(item, place.from);
    if (!reading) page.skips.add("bad-id", place.from);
    else if (known.size >= page.limits.videos) page.skips.add("too-many", place.from);
    else if (!known.has(reading.id)) known.set(reading.id, reading);
  }
};
