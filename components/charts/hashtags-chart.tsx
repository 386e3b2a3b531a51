"use client";

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { AXIS, compact, TOOLTIP } from "#components/charts/chart-parts.ts";
import { CHART } from "./chart-skeleton.tsx";

type HashtagsChartProps = { hashtags: readonly { tag: string; medianViews: number }[] };

const shorten = (tag: string): string => {
  const characters = [...tag];
  return characters.length > 15 ? `#${characters.slice(0, 14).join("")}…` : `#${tag}`;
};

/** A bar chart of hashtags by median views. */
export default function HashtagsChart({ hashtags }: HashtagsChartProps) {
  return (
    <div
      data-slot="chart"
      className={CHART}
      role="img"
      aria-label="Hashtags by median views. The table below has the same data."
    >
      <ResponsiveContainer width="100%" height="100%">
        <BarChart
          data={[...hashtags]}
          layout="vertical"
          margin={{ top: 0, right: 12, bottom: 0, left: 0 }}
          accessibilityLayer={false}
        >
          <CartesianGrid horizontal={false} stroke="var(--line)" />
          <XAxis type="number" {...AXIS} tickFormatter={compact} axisLine={false} />
          <YAxis type="category" dataKey="tag" {...AXIS} width={118} interval={0} tickFormatter={shorten} />
          <Tooltip {...TOOLTIP} formatter={(value) => [Number(value).toLocaleString("en"), "Median views"]} />
          <Bar
            dataKey="medianViews"
            fill="var(--accent)"
            radius={[0, 4, 4, 0]}
            maxBarSize={22}
            isAnimationActive={false}
          />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
