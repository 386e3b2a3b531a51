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
import { AXIS, compact, TIP } from "#components/charts/chart-parts.ts";
import { type ChartDay, runsOf } from "./chart-data.ts";
import { DAYS_CHART } from "./chart-waiting.tsx";

type DaysChartProps = {
  /** What the figure is, in the middle of a sentence: 'saves'. */
  figure: string;
  days: readonly ChartDay[];
  /** A day's name on the axis. */
  nameOf: (day: string) => string;
};

/** More days than that are a line without dots. */
const DOTS_MAX = 31;
const DOT = { r: 3.5, strokeWidth: 2, stroke: "var(--surface)", fill: "var(--accent)" } as const;

/** Names that fit beside each other on a wide screen; on a narrow one every second of them, or fewer, is shown. */
const TICKS_MAX = 12;

const ticksOf = (days: number): number[] => {
  const step = Math.ceil(days / TICKS_MAX);
  return Array.from({ length: Math.ceil(days / step) }, (_, at) => at * step);
};

type TipProps = Omit<DaysChartProps, "nameOf"> & { active?: boolean; label?: unknown; nameOf: (day: string) => string };

function DayTip({ active, label, days, figure, nameOf }: TipProps) {
  const day = days[Number(label)];
  if (!active || !day) return null;
  return (
    <div
      className="grid gap-0.5 py-2 px-3 shadow-pop [&>span]:text-ink-3 [&>b]:font-semibold num"
      style={TIP.contentStyle}
    >
      <span>{nameOf(day.date)}</span>
      <b>{day.value === null ? day.note : `${day.value.toLocaleString("en-US")} ${figure}`}</b>
    </div>
  );
}

/**
 * A figure by day as a line. Days without a final figure are hatched and have no line, so that the picture is read
 * without colour; the table beside it has the same figures, so this is a picture to those who read.
 */
export default function DaysChart({ figure, days, nameOf }: DaysChartProps) {
  const hatch = useId();
  const points = days.map(({ value }, at) => ({ at, value }));
  const isBare = days.every(({ value }) => value === null);
  const hasDots = days.length <= DOTS_MAX;
  return (
    <div
      data-slot="days-chart"
      className={DAYS_CHART}
      role="img"
      aria-label={`The days by their ${figure}. The table of days has the same figures.`}
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
            tickFormatter={(at: number) => nameOf(days[at]?.date ?? "")}
            interval="equidistantPreserveStart"
            minTickGap={18}
            {...AXIS}
          />
          {/* Without any figure there would be no scale, and without a scale no hatch: one that needs no figures. */}
          <YAxis
            {...AXIS}
            domain={isBare ? [0, 1] : [0, "auto"]}
            allowDataOverflow={isBare}
            tickFormatter={compact}
            width={46}
            axisLine={false}
            allowDecimals={false}
          />
          {runsOf(days).map(({ from, to }) => (
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
              <DayTip active={active} label={label} days={days} figure={figure} nameOf={nameOf} />
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
