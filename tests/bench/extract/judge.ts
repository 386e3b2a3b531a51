import type { Verdict } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";
import type { ContenderName } from "./contenders.ts";

export const AIMS = { msPerMb: 6, overParser: 10, overEvents: 2, overMb: 150 } as const;

/** One contender on one page. CPU milliseconds for each MB of UTF-8; megabytes beyond what the process held before. */
export interface Measured {
  name: ContenderName;
  layout: string;
  /** The year whose pages it is like. */
  period: number;
  sizeMb: number;
  leastMsPerMb: number;
  firstMsPerMb: number;
  overMb: number;
}

/** Each aim is held against the page that speaks most against us. */
export function judge(measured: readonly Measured[]): { verdict: Verdict; because: string } {
  const ours = measured.filter(({ name }) => name === "ours");
  const ratios = (name: ContenderName): number[] =>
    ours.map(({ layout, sizeMb, leastMsPerMb }) => {
      const other = measured.find((one) => one.name === name && one.layout === layout && one.sizeMb === sizeMb);
      return (other?.leastMsPerMb ?? Number.NaN) / leastMsPerMb;
    });
  const worst = {
    msPerMb: Math.max(...ours.map(({ leastMsPerMb }) => leastMsPerMb)),
    overParser: Math.min(...ratios("nodeHtmlParser")),
    overEvents: Math.min(...ratios("htmlparser2")),
    overMb: Math.max(...ours.map(({ overMb }) => overMb)),
  };
  const isMet =
    worst.msPerMb <= AIMS.msPerMb &&
    worst.overParser >= AIMS.overParser &&
    worst.overEvents >= AIMS.overEvents &&
    worst.overMb <= AIMS.overMb;
  return {
    verdict: isMet ? "met" : "missed",
    because: [
      `at worst ${round(worst.msPerMb, 2)} CPU ms/MB (aim ${AIMS.msPerMb})`,
      `${round(worst.overParser)}x node-html-parser (aim ${AIMS.overParser})`,
      `${round(worst.overEvents)}x htmlparser2 (aim ${AIMS.overEvents})`,
      `${round(worst.overMb)} MB over base (aim ${AIMS.overMb})`,
    ].join(", "),
  };
}
