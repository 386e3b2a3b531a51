"use client";

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { AXIS, compact, TIP } from "#components/charts/chart-parts.ts";
import { CHART } from "./chart-waiting.tsx";

type HashtagsChartProps = { hashtags: readonly { tag: string; medianViews: number }[] };

/** A long hashtag gives way to its beginning. */
const shorten = (tag: string): string => {
  const letters = [...tag];
  return letters.length > 15 ? `#${letters.slice(0, 14).join("")}…` : `#${tag}`;
};

/** Hashtags by the views of their middle video, as bars. The table below has the same figures. */
export default function HashtagsChart({ hashtags }: HashtagsChartProps) {
  return (
    <div
      data-slot="chart"
      className={CHART}
      role="img"
      aria-label="Hashtags by median views. The table below has the same figures."
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
          <Tooltip {...TIP} formatter={(value) => [Number(value).toLocaleString("en"), "Median views"]} />
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
