"use client";

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { AXIS, compact, TOOLTIP } from "#components/charts/chart-parts.ts";
import type { UploadBucket } from "./chart-data.ts";
import { CHART } from "./chart-skeleton.tsx";

/** A bar chart of views by upload time. */
export default function UploadsChart({ buckets }: { buckets: readonly UploadBucket[] }) {
  return (
    <div
      data-slot="chart"
      className={CHART}
      role="img"
      aria-label="Views by upload time. The table below has the same data."
    >
      <ResponsiveContainer width="100%" height="100%">
        <BarChart data={[...buckets]} margin={{ top: 8, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis dataKey="time" {...AXIS} minTickGap={24} />
          <YAxis {...AXIS} tickFormatter={compact} width={48} axisLine={false} />
          <Tooltip {...TOOLTIP} formatter={(value) => [Number(value).toLocaleString("en"), "Views"]} />
          <Bar dataKey="views" fill="var(--accent)" radius={[4, 4, 0, 0]} maxBarSize={44} isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
