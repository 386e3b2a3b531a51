import "server-only";
import type { pinFigures } from "#db/schema/results.ts";
import type { PinterestDay, PinterestPinFigures } from "#lib/integrations/pinterest/port.ts";

/** A pin's figures as they are kept. */
export type Totals = Pick<
  typeof pinFigures.$inferInsert,
  "firstDay" | "readyThrough" | "impressions" | "pinClicks" | "outboundClicks" | "saves"
>;

/** Without what comes before the first and after the last day that is final. */
const finalSpan = <D extends PinterestDay<unknown>>(days: readonly D[]): D[] => {
  const isReady = ({ status }: D) => status === "ready";
  return days.slice(Math.max(0, days.findIndex(isReady)), days.findLastIndex(isReady) + 1);
};

/**
 * Days in order as running totals, from the first final day to the last. A day in between of which nothing is known
 * adds nothing, to seen and clicked alike, so that rates stay right.
 */
export const toTotals = (days: readonly PinterestDay<PinterestPinFigures>[], firstAsked: string): Totals => {
  const span = finalSpan(days);
  const running = (of: (figures: PinterestPinFigures) => number): number[] => {
    let sum = 0;
    return span.map(({ figures }) => {
      sum += figures ? of(figures) : 0;
      return sum;
    });
  };
  return {
    firstDay: span[0]?.date ?? firstAsked,
    readyThrough: span.at(-1)?.date ?? null,
    impressions: running(({ impressions }) => impressions),
    pinClicks: running(({ pinClicks }) => pinClicks),
    outboundClicks: running(({ outboundClicks }) => outboundClicks),
    saves: running(({ saves }) => saves),
  };
};
