import "server-only";
import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Face, setFace } from "./lettering.ts";

type Run = { text: string; face: Face };
/** What stands between two spaces; an italic phrase may end before its full stop. */
type Word = readonly Run[];
type Line = readonly Word[];

/** A headline that fits: its lines, from the first, and the size of its letters. */
export interface FittedHeadline {
  lines: readonly Line[];
  sizePx: number;
}

const LARGEST_PX = 92;
const SMALLEST_PX = 44;
const STEP_PX = 4;
/** From this size down there may be three lines. */
const THREE_LINES_PX = 68;
/** From line to line, of the size. */
export const LEADING = 0.98;

const wordsOf = (headline: string): Word[] => {
  let isItalic = false;
  return headline.split(" ").map((word) =>
    word.split("*").flatMap((text, index) => {
      if (index > 0) isItalic = !isItalic;
      return text === "" ? [] : [{ text, face: isItalic ? ("italic" as const) : ("roman" as const) }];
    }),
  );
};

/** Letters and their tracking grow with the size, so widths are measured once, at this one. */
const MEASURE_PX = 100;

const runWidth = (ctx: SKRSContext2D, { text, face }: Run): number => {
  setFace(ctx, face, MEASURE_PX);
  return ctx.measureText(text).width / MEASURE_PX;
};

const spaceWidth = (ctx: SKRSContext2D): number => runWidth(ctx, { text: " ", face: "roman" });

/** A word with its width, of the size of its letters. */
type Measured = { word: Word; width: number };

/** Every way to set words in so many lines. */
const splits = (words: readonly Measured[], count: number): (readonly Measured[])[][] =>
  count === 1
    ? [[words]]
    : words
        .slice(1)
        .flatMap((_, index) =>
          splits(words.slice(index + 1), count - 1).map((rest) => [words.slice(0, index + 1), ...rest]),
        );

/** A line that ends with a comma ends well: that may cost a quarter of the width. */
const PAUSE_BONUS = 0.75;

const endsWell = (lines: readonly Line[]): boolean =>
  lines.length > 1 && lines.slice(0, -1).every((line) => /[,.:;]$/.test(line.at(-1)?.at(-1)?.text ?? ""));

const lineWidth = (line: readonly Measured[], space: number): number =>
  line.reduce((sum, { width }) => sum + width, 0) + space * (line.length - 1);

/** The way of breaking a headline into so many lines at which the longest is shortest, and how wide that one is. */
const evenest = (words: readonly Measured[], count: number, space: number) =>
  splits(words, count)
    .map((measured) => {
      const lines = measured.map((line) => line.map(({ word }) => word));
      const width = Math.max(...measured.map((line) => lineWidth(line, space)));
      return { lines, width, weight: width * (endsWell(lines) ? PAUSE_BONUS : 1) };
    })
    .toSorted((a, b) => a.weight - b.weight)[0];

/**
 * The largest letters at which a headline fits a width in two lines, or three small ones.
 * @throws Error when it is too long: a picture with words cut off should not be made.
 */
export const fitHeadline = (ctx: SKRSContext2D, headline: string, maxWidthPx: number): FittedHeadline => {
  const words = wordsOf(headline).map((word) => ({
    word,
    width: word.reduce((sum, run) => sum + runWidth(ctx, run), 0),
  }));
  const space = spaceWidth(ctx);
  const ways = [1, 2, 3].map((count) => evenest(words, count, space));
  for (let sizePx = LARGEST_PX; sizePx >= SMALLEST_PX; sizePx -= STEP_PX) {
    const found = ways
      .slice(0, sizePx > THREE_LINES_PX ? 2 : 3)
      .find((way) => way !== undefined && way.width * sizePx <= maxWidthPx);
    if (found) return { lines: found.lines, sizePx };
  }
  throw new Error(`"${headline}" is too long for the picture of a shared link.`);
};

/** Writes a fitted headline so that its last line stands on a baseline. */
export const writeHeadline = (
  ctx: SKRSContext2D,
  { lines, sizePx }: FittedHeadline,
  place: { leftPx: number; baselinePx: number; fills: Record<"roman" | "italic", string> },
): void => {
  const space = spaceWidth(ctx) * sizePx;
  lines.forEach((line, row) => {
    const y = place.baselinePx - (lines.length - 1 - row) * sizePx * LEADING;
    let x = place.leftPx;
    for (const word of line) {
      for (const run of word) {
        const width = runWidth(ctx, run) * sizePx;
        setFace(ctx, run.face, sizePx);
        ctx.fillStyle = run.face === "italic" ? place.fills.italic : place.fills.roman;
        ctx.fillText(run.text, x, y);
        x += width;
      }
      x += space;
    }
  });
};
