const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A number on an axis: '1.2M'. */
export const compact = (value: number): string => COMPACT.format(value);

export const AXIS = { tick: { fill: "var(--ink-3)", fontSize: 12 }, tickLine: false, stroke: "var(--line-2)" } as const;

export const TOOLTIP = {
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
