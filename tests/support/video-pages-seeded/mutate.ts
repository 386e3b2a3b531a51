import { createRandom, type Random } from "../random.ts";
import type { Period } from "./facts.ts";
import { LAYOUTS, type Layout, makePage, periodsOf } from "./page.ts";

const PIECES = [
  "<",
  ">",
  "</",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  '"',
  "'",
  "=",
  "&",
  "&#",
  "&#x110000;",
  "&#0;",
  "\0",
  "\ud800",
  "\udc00",
  "<script>",
  "</script>",
  "<style>",
  "</a>",
  "<a href=",
  "</div></div>",
  "<div><div>",
  "<svg>",
  "<table>",
  "<plaintext>",
  'data-e2e="user-post-item"',
  'href="/@a/video/99999999999999999999"',
  "{",
  "}",
  "[",
  "\\u00",
  '"__proto__":',
  "\u202e",
  "\u2028",
] as const;

type Change = (random: Random, html: string) => string;

const cutAt = (random: Random, html: string): [number, number] => {
  const from = random.below(html.length + 1);
  return [from, Math.min(html.length, from + random.below(200))];
};

const CHANGES: readonly Change[] = [
  (random, html) => html.slice(0, random.below(html.length + 1)),
  (random, html) => html.slice(random.below(html.length + 1)),
  (random, html) => {
    const [from, to] = cutAt(random, html);
    return html.slice(0, from) + html.slice(to);
  },
  (random, html) => {
    const [from, to] = cutAt(random, html);
    return html.slice(0, to) + html.slice(from);
  },
  (random, html) => {
    const [from, to] = cutAt(random, html);
    return html.slice(0, from) + [...html.slice(from, to)].reverse().join("") + html.slice(to);
  },
  (random, html) => {
    const at = random.below(html.length + 1);
    return html.slice(0, at) + (PIECES[random.below(PIECES.length)] ?? "") + html.slice(at);
  },
  (random, html) => {
    const at = random.below(html.length + 1);
    return html.slice(0, at) + String.fromCharCode(random.below(0x10000)) + html.slice(at + 1);
  },
  (random, html) => {
    const at = html.indexOf(
      ["</", "<div", 'href="', "/video/", "data-e2e"][random.below(5)] ?? "",
      random.below(html.length + 1),
    );
    return at < 0 ? html : html.slice(0, at) + html.slice(at + 1 + random.below(8));
  },
];

const BASES = 24;
const bases = new Map<string, string>();

const baseOf = (layout: Layout, period: Period, draw: number): string => {
  const key = `${layout} ${period} ${draw}`;
  const html = bases.get(key) ?? makePage({ seed: draw, disguise: draw, layout, period, videos: 1 + (draw % 4) }).html;
  bases.set(key, html);
  return html;
};

/** A small page of any layout and year with one to eight mutations, determined by seed and number. */
export function makeMutant(seed: number, number: number): string {
  const random = createRandom(seed * 1_000_003 + number);
  const layout = LAYOUTS[random.below(LAYOUTS.length)] ?? "search";
  const periods = periodsOf(layout);
  let html = baseOf(layout, periods[random.below(periods.length)] ?? 2026, random.below(BASES));
  for (let faults = 1 + random.below(8); faults > 0; faults -= 1) {
    html = CHANGES[random.below(CHANGES.length)]?.(random, html) ?? html;
  }
  return html;
}
