"use client";

import { useId } from "react";
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { AXIS, compact, TOOLTIP } from "#components/charts/chart-parts.ts";
import { type ChartDay, gapsOf } from "./chart-data.ts";
import { DAYS_CHART } from "./chart-skeleton.tsx";

type DaysChartProps = {
  /** The metric's name within a sentence: 'saves'. */
  metric: string;
  days: readonly ChartDay[];
  formatDay: (day: string) => string;
};

/** Longer ranges have no dots. */
const DOTS_MAX = 31;
const DOT = { r: 3.5, strokeWidth: 2, stroke: "var(--surface)", fill: "var(--accent)" } as const;

/** Labels that fit on a wide screen; on a narrow one some are skipped. */
const TICKS_MAX = 12;

const ticksOf = (days: number): number[] => {
  const step = Math.ceil(days / TICKS_MAX);
  return Array.from({ length: Math.ceil(days / step) }, (_, at) => at * step);
};

type TooltipProps = Omit<DaysChartProps, "formatDay"> & {
  active?: boolean;
  label?: unknown;
  formatDay: (day: string) => string;
};

function DayTooltip({ active, label, days, metric, formatDay }: TooltipProps) {
  const day = days[Number(label)];
  if (!active || !day) return null;
  return (
    <div
      className="grid gap-0.5 py-2 px-3 shadow-pop [&>span]:text-ink-3 [&>b]:font-semibold num"
      style={TOOLTIP.contentStyle}
    >
      <span>{formatDay(day.date)}</span>
      <b>{day.value === null ? day.note : `${day.value.toLocaleString("en-US")} ${metric}`}</b>
    </div>
  );
}

/** A metric by day as a line. Days without a final value are hatched, so that the chart does not rely on color. */
export default function DaysChart({ metric, days, formatDay }: DaysChartProps) {
  const hatch = useId();
  const points = days.map(({ value }, at) => ({ at, value }));
  const isEmpty = days.every(({ value }) => value === null);
  const hasDots = days.length <= DOTS_MAX;
  return (
    <div
      data-slot="days-chart"
      className={DAYS_CHART}
      role="img"
      aria-label={`Chart of ${metric} by day. The daily table has the same data.`}
    >
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart data={points} margin={{ top: 12, right: 14, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <defs>
            <pattern id={hatch} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <path d="M0 0V7" stroke="var(--control)" strokeWidth="1.6" />
            </pattern>
          </defs>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="at"
            type="number"
            domain={[-0.5, days.length - 0.5]}
            ticks={ticksOf(days.length)}
            tickFormatter={(at: number) => formatDay(days[at]?.date ?? "")}
            interval="equidistantPreserveStart"
            minTickGap={18}
            {...AXIS}
          />
          {/* Without values there would be no scale, and without a scale no hatch, so a fixed domain is used. */}
          <YAxis
            {...AXIS}
            domain={isEmpty ? [0, 1] : [0, "auto"]}
            allowDataOverflow={isEmpty}
            tickFormatter={compact}
            width={46}
            axisLine={false}
            allowDecimals={false}
          />
          {gapsOf(days).map(({ from, to }) => (
            <ReferenceArea
              key={from}
              x1={from - 0.5}
              x2={to + 0.5}
              fill={`url(#${hatch})`}
              fillOpacity={0.55}
              stroke="var(--control)"
              strokeDasharray="3 4"
            />
          ))}
          <Tooltip
            cursor={{ stroke: "var(--line-2)" }}
            isAnimationActive={false}
            content={({ active, label }) => (
              <DayTooltip active={active} label={label} days={days} metric={metric} formatDay={formatDay} />
            )}
          />
          <Area
            dataKey="value"
            stroke="none"
            fill="var(--accent-tint)"
            fillOpacity={0.7}
            isAnimationActive={false}
            activeDot={false}
          />
          <Line
            dataKey="value"
            stroke="var(--accent)"
            strokeWidth={2}
            dot={hasDots && DOT}
            activeDot={{ ...DOT, r: 5 }}
            isAnimationActive={false}
          />
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}
