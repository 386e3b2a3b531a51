import type { Cut } from "./cuts.ts";
import type { Metrics } from "./metrics.ts";

/** A cut that was made: where a page finds it. */
export interface MadeCut {
  cut: Cut;
  path: string;
  metrics: Metrics | null;
}

/** A face that a visitor's system may have: its names there, and the width of its letters in parts of the size. */
interface StandIn {
  family: string;
  names: readonly string[];
  letterWidth: number;
}

// Widths as Next measures them (Times New Roman, Arial), the others in proportion to the widths that capsize lists.
const SERIF: Record<Cut["face"]["style"], readonly StandIn[]> = {
  normal: [
    { family: "Serif Stand-in", names: ["Times New Roman", "Liberation Serif", "Tinos"], letterWidth: 0.4172 },
    { family: "Serif Stand-in 2", names: ["Noto Serif", "NotoSerif"], letterWidth: 0.4939 },
  ],
  italic: [
    {
      family: "Serif Stand-in",
      names: ["Times New Roman Italic", "Liberation Serif Italic", "Tinos Italic"],
      letterWidth: 0.4192,
    },
    { family: "Serif Stand-in 2", names: ["Noto Serif Italic", "NotoSerif-Italic"], letterWidth: 0.4816 },
  ],
};
const SANS: readonly StandIn[] = [
  { family: "Sans Stand-in", names: ["Arial", "Liberation Sans", "Arimo", "Helvetica"], letterWidth: 0.4563 },
  { family: "Sans Stand-in 2", names: ["Roboto", "Roboto-Regular"], letterWidth: 0.4553 },
];

const rule = (lines: readonly string[]): string => `@font-face {\n${lines.map((line) => `  ${line};\n`).join("")}}\n`;

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

/** Code points as CSS writes them, neighbours as one range. */
const rangeOf = (letters: string): string => {
  const spans: [number, number][] = [];
  for (const point of [...letters].map((letter) => letter.codePointAt(0) ?? 0).sort((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last && point <= last[1] + 1) last[1] = point;
    else spans.push([point, point]);
  }
  const hex = (point: number) => point.toString(16).toUpperCase();
  return spans.map(([first, last]) => `U+${hex(first)}${last > first ? `-${hex(last)}` : ""}`).join(", ");
};

const faceRule = ({ cut, path }: MadeCut): string =>
  rule([
    `font-family: "${cut.face.family}"`,
    `font-style: ${cut.face.style}`,
    `font-weight: ${cut.face.weight}`,
    "font-display: swap",
    `src: url("${path}") format("woff2")`,
    ...(cut.isFirst ? [] : [`unicode-range: ${rangeOf(cut.letters)}`]),
  ]);

const standInRule = (cut: Cut, metrics: Metrics, { family, names, letterWidth }: StandIn): string => {
  const adjust = metrics.letterWidth / letterWidth;
  return rule([
    `font-family: "${family}"`,
    `font-style: ${cut.face.style}`,
    ...(cut.family === "newsreader" ? [`font-weight: ${cut.face.weight}`] : []),
    `src: ${names.map((name) => `local("${name}")`).join(", ")}`,
    `size-adjust: ${percent(adjust)}`,
    `ascent-override: ${percent(metrics.ascent / adjust)}`,
    `descent-override: ${percent(metrics.descent / adjust)}`,
    "line-gap-override: 0%",
  ]);
};

/** The style sheet with every face, and for each that a first paint may need stand-ins of the same width and height. */
export const faceRules = (made: readonly MadeCut[]): string => {
  const standIns = made.flatMap(({ cut, metrics }) => {
    if (!metrics) return [];
    const choices = cut.family === "newsreader" ? SERIF[cut.face.style] : SANS;
    return choices.map((choice) => standInRule(cut, metrics, choice));
  });
  const head =
    "/* Made by scripts/cut-fonts.ts. Stand-ins take the same room, so that nothing moves when a face arrives. */";
  return [head, ...made.map(faceRule), ...standIns].join("\n");
};
