"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { Fragment, memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { dayLabel, shortDay, timeLabel } from "#components/publishing/moments.ts";
import { PinThumb } from "#components/shared/pin-thumb.tsx";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { countOf } from "#lib/core/text.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { groupByDay } from "#lib/features/calendar/policy.ts";
import type { CalendarPinWire } from "#lib/features/calendar/schema.ts";
import { useCalendarMarks, useCalendarTools } from "./calendar-context.ts";
import { DayTotals, metricsText, PinChip, PinRow, totalsOf } from "./calendar-pin.tsx";
import { hourLabel } from "./calendar-query.ts";
import { useDropTarget } from "./drag.ts";

/** Pins of a day that the month shows; the day's list has the others. */
const MONTH_CHIPS = 3;

type DayProps = { date: string; pins: readonly CalendarPinWire[] };

const TARGET = "bg-accent-tint shadow-[inset_0_0_0_2px_var(--accent)]";

const useIsTarget = (date: string, hour: number | null): boolean => {
  const { keyboardMove } = useCalendarMarks();
  if (keyboardMove?.target.date !== date) return false;
  return hour === null || (keyboardMove.target.kind === "hour" && keyboardMove.target.hour === hour);
};

const useDropHere = (ref: React.RefObject<HTMLElement | null>, date: string, hour: number | null): boolean => {
  const { move, place } = useCalendarTools();
  const target = hour === null ? ({ kind: "day", date } as const) : ({ kind: "hour", date, hour } as const);
  const isOver = useDropTarget(ref, target, ({ ids, isDraft }, on) => (isDraft ? place(ids, on) : move(ids, on)));
  const isTarget = useIsTarget(date, hour);
  useEffect(() => {
    if (isTarget) ref.current?.scrollIntoView({ block: "nearest" });
  }, [ref, isTarget]);
  return isOver || isTarget;
};

/** A day of the month on phones: its number and images; a tap opens its list. */
function SmallDay({ date, pins }: DayProps) {
  const { openDay } = useCalendarTools();
  if (pins.length === 0) return null;
  const count = countOf(pins.length, "pin");
  return (
    <button
      type="button"
      aria-label={[`${dayLabel(date)}: ${count}`, metricsText(totalsOf(pins))].filter(Boolean).join(", ")}
      className="grid min-h-11 w-full content-start justify-items-center gap-1 md:hidden"
      onClick={() => openDay(date)}
    >
      <span className="flex -space-x-2">
        {pins.slice(0, 2).map(({ id, image_url }) => (
          <PinThumb key={id} src={image_url} className="h-7 w-[18px] shadow-[0_0_0_1px_var(--surface)]" />
        ))}
      </span>
      <span className="num text-xs text-ink-3">{pins.length}</span>
    </button>
  );
}

/** Opens the day's list, which has the pins that don't fit in a cell. */
function MorePins({ date, count, hour }: { date: string; count: number; hour?: number }) {
  const { openDay } = useCalendarTools();
  if (count <= 0) return null;
  return (
    <button
      type="button"
      data-slot="more-pins"
      className="link num min-h-6 justify-self-start px-1 text-xs"
      onClick={() => openDay(date)}
    >
      +{count} more
      <span className="sr-only">
        {" "}
        on {dayLabel(date)}
        {hour !== undefined && ` at ${hourLabel(hour)}`}
      </span>
    </button>
  );
}

const MonthDay = memo(function MonthDay({ date, pins, isOtherMonth }: DayProps & { isOtherMonth: boolean }) {
  const { today } = useCalendarTools();
  const cell = useRef<HTMLTableCellElement>(null);
  const isTarget = useDropHere(cell, date, null);
  return (
    <td
      ref={cell}
      data-date={date}
      data-drop={isTarget || undefined}
      className={cn(
        "h-32 w-[14.28%] border border-line p-1 align-top max-md:h-20 max-md:p-0.5",
        isOtherMonth && "bg-well",
        isTarget && TARGET,
      )}
    >
      <div className="flex items-center justify-between gap-1 md:pr-1">
        <span
          className={cn(
            "num grid size-6 flex-none place-items-center rounded-full text-xs",
            isOtherMonth ? "text-ink-3" : "text-ink-2",
            date === today && "bg-accent font-semibold text-on-accent",
          )}
        >
          <span className="sr-only">{dayLabel(date)}</span>
          <span aria-hidden="true">{Number(date.slice(8))}</span>
        </span>
        <DayTotals pins={pins} />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1 max-md:hidden">
        {pins.slice(0, MONTH_CHIPS).map((pin) => (
          <PinChip key={pin.id} pin={pin} />
        ))}
        <MorePins date={date} count={pins.length - MONTH_CHIPS} />
      </div>
      <SmallDay date={date} pins={pins} />
    </td>
  );
});

const NO_PINS: readonly CalendarPinWire[] = [];

type ViewProps = { days: readonly string[]; pins: readonly CalendarPinWire[] };

const weeksOf = (days: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(days.length / 7) }, (_, week) => days.slice(week * 7, week * 7 + 7));

const weekdayName = (date: string): string => dayLabel(date).split(",")[0] ?? "";

export function MonthView({ days, pins, month }: ViewProps & { month: string }) {
  const { zone } = useCalendarTools();
  const byDay = useMemo(() => groupByDay(pins, zone), [pins, zone]);
  return (
    <table data-slot="calendar-month" className="w-full table-fixed border-collapse rounded-card bg-surface">
      <caption className="sr-only">Pins by day</caption>
      <thead>
        <tr>
          {days.slice(0, 7).map((day) => (
            <th key={day} scope="col" className="border border-line px-1 py-2 text-xs font-medium text-ink-3">
              <span className="max-md:hidden">{weekdayName(day)}</span>
              <span className="md:hidden">
                <span aria-hidden="true">{weekdayName(day).slice(0, 1)}</span>
                <span className="sr-only">{weekdayName(day)}</span>
              </span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(days).map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <MonthDay
                key={day}
                date={day}
                pins={byDay.get(day) ?? NO_PINS}
                isOtherMonth={day.slice(0, 7) !== month}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Where the week starts when it has no earlier pins. */
const FIRST_HOUR = 7;

const hourOf = (at: Date, zone: string): number => Number(localTimeOf(at, zone).time.slice(0, 2));

const hourKey = (at: Date, zone: string): string => `${localTimeOf(at, zone).date} ${hourOf(at, zone)}`;

const NO_SLOTS: readonly Date[] = [];

const HOUR_CHIPS = 4;

type HourProps = DayProps & { hour: number; free: readonly Date[] };

const HourCell = memo(function HourCell({ date, hour, pins, free }: HourProps) {
  const { zone } = useCalendarTools();
  const cell = useRef<HTMLTableCellElement>(null);
  const isTarget = useDropHere(cell, date, hour);
  return (
    <td
      ref={cell}
      data-date={date}
      data-drop={isTarget || undefined}
      data-hour={hour}
      className={cn("h-11 border border-line p-0.5 align-top", isTarget && TARGET)}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
        {pins.slice(0, HOUR_CHIPS).map((pin) => (
          <PinChip key={pin.id} pin={pin} />
        ))}
        <MorePins date={date} hour={hour} count={pins.length - HOUR_CHIPS} />
        {free.map((at) => (
          <p
            key={at.getTime()}
            data-slot="free-slot"
            className="num truncate rounded-[5px] border border-dashed border-line px-1.5 text-xs text-ink-3"
          >
            <span className="sr-only">Free slot </span>
            {timeLabel(at, zone)}
          </p>
        ))}
      </div>
    </td>
  );
});

/** Hours by days, with the posting slots that are still free; on phones the days are a list. */
export function WeekView({ days, pins, free }: ViewProps & { free: readonly Date[] }) {
  const { zone, today } = useCalendarTools();
  const scroller = useRef<HTMLDivElement>(null);
  const { byHour, freeByHour, firstHour } = useMemo(
    () => ({
      freeByHour: Map.groupBy(free, (at) => hourKey(at, zone)),
      byHour: Map.groupBy(pins, (pin) => hourKey(new Date(pin.at), zone)),
      firstHour: Math.min(FIRST_HOUR, ...pins.map(({ at }) => hourOf(new Date(at), zone))),
    }),
    [pins, free, zone],
  );
  useLayoutEffect(() => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${firstHour}"]`);
    const head = scroller.current?.querySelector<HTMLElement>("thead");
    if (row && head) scroller.current?.scrollTo({ top: row.offsetTop - head.offsetHeight });
  }, [firstHour]);
  return (
    <>
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls, and Safari focuses no scroller by itself
        tabIndex={0}
        aria-label="Hours of the week"
        data-slot="calendar-week"
        className="relative max-h-[70dvh] overflow-y-auto rounded-card bg-surface max-md:hidden"
      >
        <table className="w-full table-fixed border-collapse">
          <caption className="sr-only">Pins by hour</caption>
          <thead className="sticky top-0 z-(--z-sticky) bg-surface">
            <tr>
              <th scope="col" className="w-16">
                <span className="sr-only">Hour</span>
              </th>
              {days.map((day) => (
                <th
                  key={day}
                  scope="col"
                  className={cn(
                    "num py-2 text-xs font-medium text-ink-3",
                    day === today && "text-accent-ink font-semibold",
                  )}
                >
                  {shortDay(day)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {HOURS.map((hour) => (
              <tr key={hour} data-row={hour}>
                <th
                  scope="row"
                  className="num border border-line px-2 pt-1 text-right align-top text-xs font-normal text-ink-3"
                >
                  {hourLabel(hour)}
                </th>
                {days.map((day) => (
                  <HourCell
                    key={day}
                    date={day}
                    hour={hour}
                    pins={byHour.get(`${day} ${hour}`) ?? NO_PINS}
                    free={freeByHour.get(`${day} ${hour}`) ?? NO_SLOTS}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div className="md:hidden">
        <DayList days={days} pins={pins} />
      </div>
    </>
  );
}

type ListItem = { kind: "day"; date: string; pins: readonly CalendarPinWire[] } | { kind: "pin"; pin: CalendarPinWire };

const listItems = (pins: readonly CalendarPinWire[], zone: string): ListItem[] =>
  [...groupByDay(pins, zone)].flatMap(([date, own]) => [
    { kind: "day", date, pins: own } as const,
    ...own.map((pin) => ({ kind: "pin", pin }) as const),
  ]);

function DayHeading({ date, pins }: DayProps) {
  const { today } = useCalendarTools();
  const results = metricsText(totalsOf(pins));
  return (
    <h3 className="flex items-baseline gap-3 pt-6 pb-2 text-sm font-semibold">
      {dayLabel(date)}
      {date === today && <span className="text-accent-ink">Today</span>}
      <span className="num font-normal text-ink-3">
        {countOf(pins.length, "pin")}
        {results && `, ${results}`}
      </span>
    </h3>
  );
}

function DayList({ days, pins }: ViewProps) {
  const { zone } = useCalendarTools();
  const byDay = groupByDay(pins, zone);
  return days.map((day) => {
    const own = byDay.get(day);
    return own ? (
      <Fragment key={day}>
        <DayHeading date={day} pins={own} />
        {own.map((pin) => (
          <PinRow key={pin.id} pin={pin} />
        ))}
      </Fragment>
    ) : null;
  });
}

const ROW_PX = { day: 52, pin: 73 } as const;
/** A short list is rendered whole, also by the server. */
const VIRTUAL_FROM = 120;

const keyOf = (item: ListItem | undefined): string => (item?.kind === "pin" ? item.pin.id : (item?.date ?? ""));

/** A long list that renders only what is near the viewport. */
function VirtualList({ items }: { items: readonly ListItem[] }) {
  const list = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useEffect(() => setOffset(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => ROW_PX[items[index]?.kind ?? "pin"],
    // Rows keep their pins when others come and go.
    getItemKey: (index) => keyOf(items[index]),
    // The server renders the top, too.
    initialOffset: 0,
    overscan: 12,
    scrollMargin: offset,
    initialRect: { width: 1_000, height: 900 },
  });
  return (
    <div ref={list} className="relative" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, start, key }) => {
        const item = items[index];
        return (
          <div
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${start - offset}px)` }}
          >
            {item?.kind === "day" && <DayHeading date={item.date} pins={item.pins} />}
            {item?.kind === "pin" && <PinRow pin={item.pin} />}
          </div>
        );
      })}
    </div>
  );
}

export function ListView({ days, pins, isLoading }: ViewProps & { isLoading: boolean }) {
  const { zone } = useCalendarTools();
  const items = useMemo(() => (pins.length < VIRTUAL_FROM ? null : listItems(pins, zone)), [pins, zone]);
  if (isLoading) return <Skeleton shape="card" className="h-80 w-full" />;
  if (pins.length === 0) return <p className="py-10 text-center text-ink-3">No pins in this period.</p>;
  return (
    <div data-slot="calendar-list" className="rounded-card bg-surface px-4 pb-4 shadow-card max-md:px-2">
      {items ? <VirtualList items={items} /> : <DayList days={days} pins={pins} />}
    </div>
  );
}
