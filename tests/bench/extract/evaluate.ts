import type { Verdict } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";
import type { ContenderName } from "./contenders.ts";

export const TARGETS = { msPerMb: 6, overParser: 10, overEvents: 2, overMb: 150 } as const;

/** One contender on one page: CPU milliseconds per MB of UTF-8, and memory beyond the initial usage, in MB. */
export interface Measured {
  name: ContenderName;
  layout: string;
  /** The year whose page format it has. */
  period: number;
  sizeMb: number;
  minMsPerMb: number;
  firstMsPerMb: number;
  overMb: number;
}

/** Each target is compared with the worst page. */
export function evaluate(measured: readonly Measured[]): { verdict: Verdict; reason: string } {
  const ours = measured.filter(({ name }) => name === "ours");
  const ratios = (name: ContenderName): number[] =>
    ours.map(({ layout, sizeMb, minMsPerMb }) => {
      const other = measured.find((item) => item.name === name && item.layout === layout && item.sizeMb === sizeMb);
      return (other?.minMsPerMb ?? Number.NaN) / minMsPerMb;
    });
  const worst = {
    msPerMb: Math.max(...ours.map(({ minMsPerMb }) => minMsPerMb)),
    overParser: Math.min(...ratios("nodeHtmlParser")),
    overEvents: Math.min(...ratios("htmlparser2")),
    overMb: Math.max(...ours.map(({ overMb }) => overMb)),
  };
  const isMet =
    worst.msPerMb <= TARGETS.msPerMb &&
    worst.overParser >= TARGETS.overParser &&
    worst.overEvents >= TARGETS.overEvents &&
    worst.overMb <= TARGETS.overMb;
  return {
    verdict: isMet ? "met" : "missed",
    reason: [
      `at worst ${round(worst.msPerMb, 2)} CPU ms/MB (target ${TARGETS.msPerMb})`,
      `${round(worst.overParser)}x node-html-parser (target ${TARGETS.overParser})`,
      `${round(worst.overEvents)}x htmlparser2 (target ${TARGETS.overEvents})`,
      `${round(worst.overMb)} MB over base (target ${TARGETS.overMb})`,
    ].join(", "),
  };
}
