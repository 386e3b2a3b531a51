const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A figure on an axis: '1.2M'. */
export const compact = (value: number): string => COMPACT.format(value);

/** What both charts share: figures in the colour of quiet text, lines that only separate. */
export const AXIS = { tick: { fill: "var(--ink-3)", fontSize: 12 }, tickLine: false, stroke: "var(--line-2)" } as const;

/** The box beside the pointer, as a card. */
export const TIP = {
  contentStyle: {
    background: "var(--raised)",
    border: "1px solid var(--line-2)",
    borderRadius: 10,
    color: "var(--ink)",
    fontSize: 13,
  },
  itemStyle: { color: "var(--ink)" },
  labelStyle: { color: "var(--ink-3)" },
  cursor: { fill: "var(--hover)" },
} as const;
