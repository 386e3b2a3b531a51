"use client";

import Check from "lucide-react/icons/check";
import MoreHorizontal from "lucide-react/icons/ellipsis";
import Eye from "lucide-react/icons/eye";
import MousePointerClick from "lucide-react/icons/mouse-pointer-click";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { type FocusEvent, type KeyboardEvent, memo, type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { clockChangeNote, timeLabel } from "#components/publishing/moments.ts";
import { FormatChip, formatLabel } from "#components/shared/format-chip.tsx";
import { PinThumb } from "#components/shared/pin-thumb.tsx";
import { StatusChip } from "#components/shared/status-chip.tsx";
import { CHECKBOX } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { addDays } from "#lib/features/calendar/policy.ts";
import type { CalendarPinWire } from "#lib/features/calendar/schema.ts";
import { useCalendarMarks, useCalendarTools } from "./calendar-context.ts";
import { useDraggable } from "./drag.ts";

const STATUS_LABELS = { scheduled: "Scheduled", published: "Published", failed: "Failed" } as const;

const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

type Results = Pick<CalendarPinWire, "impressions" | "outbound_clicks">;

/** '1.2K impressions, 34 clicks', or null while no metrics are stored. */
export const metricsText = ({ impressions, outbound_clicks }: Results): string | null =>
  impressions === null
    ? null
    : `${COMPACT.format(impressions)} impressions, ${COMPACT.format(outbound_clicks ?? 0)} clicks`;

/** The sums of published pins; null while none has stored metrics. */
export const totalsOf = (pins: readonly CalendarPinWire[]): Results => {
  const measured = pins.filter(({ status, impressions }) => status === "published" && impressions !== null);
  const sum = (key: keyof Results) => measured.reduce((total, pin) => total + (pin[key] ?? 0), 0);
  return measured.length === 0
    ? { impressions: null, outbound_clicks: null }
    : { impressions: sum("impressions"), outbound_clicks: sum("outbound_clicks") };
};

/** The results of a day's published pins, beside its number. A narrow cell only shows the impressions. */
export function DayTotals({ pins }: { pins: readonly CalendarPinWire[] }) {
  const totals = totalsOf(pins);
  const text = metricsText(totals);
  if (text === null) return null;
  return (
    <span
      data-slot="day-totals"
      title={`This day: ${text}`}
      className="num flex h-4 min-w-0 flex-wrap justify-end gap-x-1.5 overflow-hidden text-xs/4 text-ink-3 max-md:hidden"
    >
      <span className="sr-only">, {text}</span>
      <span aria-hidden="true" className="flex items-center gap-0.5">
        <Eye size={11} />
        {COMPACT.format(totals.impressions ?? 0)}
      </span>
      <span aria-hidden="true" className="flex items-center gap-0.5">
        <MousePointerClick size={11} />
        {COMPACT.format(totals.outbound_clicks ?? 0)}
      </span>
    </span>
  );
}

const MENU_BUTTON = "[aria-haspopup=menu]";

type MenuState = "unused" | "closed" | "open";

/**
 * A menu for each of hundreds of pins costs a quarter of the calendar's CPU (docs/performance.md), so it is mounted where
 * the mouse or the focus is, and opened by a press that came without either.
 */
const usePinMenu = () => {
  const [state, setState] = useState<MenuState>("unused");
  const focusLost = useRef<Element>(null);
  const mount = (area: Element) => {
    if (state !== "unused") return;
    // The button is replaced by the menu's own.
    if (area.querySelector(MENU_BUTTON) === document.activeElement) focusLost.current = area;
    setState("closed");
  };
  useLayoutEffect(() => {
    if (state === "closed") focusLost.current?.querySelector<HTMLElement>(MENU_BUTTON)?.focus();
    focusLost.current = null;
  }, [state]);
  const area = {
    // At once: a press may follow before React would render.
    onPointerEnter: ({ pointerType, currentTarget }: PointerEvent) => {
      if (pointerType === "mouse" && state === "unused") flushSync(() => mount(currentTarget));
    },
    // A press on the button itself focuses it, and would be lost if the button were replaced before its click.
    onFocus: ({ target, currentTarget }: FocusEvent) => {
      if (!target.matches(MENU_BUTTON) || target.matches(":focus-visible")) mount(currentTarget);
    },
  };
  return { state, area, open: () => setState("open") };
};

type PinMenuProps = Pick<MarkedPin, "pin" | "isSelected"> & { state: MenuState; onOpen: () => void };

/** The pin's commands, for those who don't drag. */
function PinMenu({ pin, isSelected, state, onOpen }: PinMenuProps) {
  const label = `Actions for ${pin.title}`;
  const icon = <MoreHorizontal aria-hidden="true" />;
  if (state === "unused") {
    return (
      <IconButton label={label} aria-haspopup="menu" aria-expanded={false} onClick={onOpen}>
        {icon}
      </IconButton>
    );
  }
  return (
    <Menu label={label} isOpenAtFirst={state === "open"} trigger={<IconButton label={label}>{icon}</IconButton>}>
      <PinCommands pin={pin} isSelected={isSelected} />
    </Menu>
  );
}

function PinCommands({ pin, isSelected }: Pick<MarkedPin, "pin" | "isSelected">) {
  const { zone, withSelected, move, askTime, open, pickUp, toggle } = useCalendarTools();
  const moveDays = (days: number) => {
    const { date } = localTimeOf(new Date(pin.at), zone);
    move(withSelected(pin.id), { kind: "day", date: addDays(date, days) });
  };
  return (
    <>
      <MenuItem onSelect={() => open(pin.id)}>Open</MenuItem>
      {pin.status === "scheduled" && (
        <>
          <MenuItem onSelect={() => toggle(pin.id)}>{isSelected ? "Deselect" : "Select"}</MenuItem>
          <MenuItem onSelect={() => askTime(withSelected(pin.id))}>Move to…</MenuItem>
          <MenuItem onSelect={() => moveDays(1)}>Move one day later</MenuItem>
          <MenuItem onSelect={() => moveDays(-1)}>Move one day earlier</MenuItem>
          <MenuItem needsKeyboard onSelect={() => pickUp(pin)}>
            Move with arrow keys
          </MenuItem>
          <MenuItem onSelect={() => move(withSelected(pin.id), { kind: "drafts" })}>Unschedule</MenuItem>
        </>
      )}
    </>
  );
}

/** For those who don't tell the colors of the border apart. */
function StatusIcon({ status }: { status: "published" | "failed" }) {
  const Icon = status === "published" ? Check : TriangleAlert;
  const tone = status === "published" ? "text-published-ink" : "text-failed-ink";
  return <Icon aria-hidden="true" size={11} strokeWidth={2.4} className={cn("mr-0.5 inline align-[-1px]", tone)} />;
}

const TONES = {
  scheduled: "border-l-scheduled",
  published: "border-l-published",
  failed: "border-l-failed",
} as const;

type MarkedPin = { pin: CalendarPinWire; isSelected: boolean; isPending: boolean; isBeingMoved: boolean };

const useMarked = (pin: CalendarPinWire): MarkedPin => {
  const { selected, pending, keyboardMove } = useCalendarMarks();
  return {
    pin,
    isSelected: selected.has(pin.id),
    isPending: pending.has(pin.id),
    isBeingMoved: keyboardMove?.pins.some(({ id }) => id === pin.id) ?? false,
  };
};

/** Only a scheduled pin still goes out. */
const clockNoteOf = ({ status, at }: CalendarPinWire, zone: string): string | null =>
  status === "scheduled" ? clockChangeNote(at, zone) : null;

/** A pin in a cell of the month or week: time, image and title. Space picks it up, Enter opens it. */
export function PinChip({ pin }: { pin: CalendarPinWire }) {
  return <Chip {...useMarked(pin)} />;
}

const Chip = memo(function Chip({ pin, isSelected, isPending, isBeingMoved }: MarkedPin) {
  const tools = useCalendarTools();
  const { zone } = tools;
  const card = useRef<HTMLDivElement>(null);
  const isMovable = pin.status === "scheduled";
  const isDragging = useDraggable(card, isMovable, () => ({ ids: tools.withSelected(pin.id), isDraft: false }));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== " " || !isMovable) return;
    event.preventDefault();
    tools.pickUp(pin);
  };
  const menu = usePinMenu();
  const time = timeLabel(pin.at, zone);
  const note = clockNoteOf(pin, zone);
  return (
    <div ref={card} data-slot="calendar-pin" className="group/pin @container relative min-w-0" {...menu.area}>
      <button
        type="button"
        data-pin-id={pin.id}
        aria-label={[
          pin.title,
          time,
          STATUS_LABELS[pin.status],
          formatLabel(pin.format),
          isSelected && "selected",
          metricsText(pin),
          note,
        ]
          .filter(Boolean)
          .join(", ")}
        aria-describedby={isMovable ? "calendar-keys" : undefined}
        title={note ?? pin.title}
        onClick={(event) =>
          isMovable && (event.metaKey || event.ctrlKey || event.shiftKey) ? tools.toggle(pin.id) : tools.open(pin.id)
        }
        onKeyDown={onKeyDown}
        className={cn(
          "flex w-full min-w-0 items-center gap-1.5 rounded-[6px] border-l-[3px] bg-raised py-1 pr-1 pl-1.5 text-left",
          "text-xs shadow-[0_0_0_1px_var(--line)] hover:bg-hover @max-[6rem]:gap-1 @max-[6rem]:pr-0.5 @max-[6rem]:pl-1",
          TONES[pin.status],
          isMovable && "cursor-grab",
          isSelected && "bg-accent-tint shadow-[0_0_0_2px_var(--accent)]",
          (isDragging || isBeingMoved) && "opacity-40",
          isPending && "animate-pulse",
        )}
      >
        <PinThumb
          src={pin.image_url}
          className="h-7 w-[18px] @max-[6rem]:h-[22px] @max-[6rem]:w-3.5 @max-[4.5rem]:hidden"
        />
        <span className="min-w-0">
          <span className="num block truncate text-ink-2">
            {pin.status !== "scheduled" && <StatusIcon status={pin.status} />}
            {[time, formatLabel(pin.format)?.toLowerCase()].filter(Boolean).join(" ")}
          </span>
          <span className="block truncate text-ink">{pin.title}</span>
          {note && <span className="block text-ink-3">Clocks change</span>}
          {pin.status === "published" && metricsText(pin) && (
            <span className="num block truncate text-ink-3">{metricsText(pin)}</span>
          )}
        </span>
      </button>
      <span
        className={cn(
          "absolute top-0.5 right-0.5 grid rounded-[5px] bg-raised opacity-0 group-hover/pin:opacity-100",
          "pointer-coarse:opacity-100 focus-within:opacity-100 has-data-[state=open]:opacity-100 [&>button]:size-6 [&>button]:min-h-0 [&_svg]:size-4",
        )}
      >
        <PinMenu pin={pin} isSelected={isSelected} state={menu.state} onOpen={menu.open} />
      </span>
    </div>
  );
});

/** A pin in a list: with its board, status, and reason, and a checkbox to move several. */
export function PinRow({ pin }: { pin: CalendarPinWire }) {
  return <Row {...useMarked(pin)} />;
}

const Row = memo(function Row({ pin, isSelected, isPending }: MarkedPin) {
  const { zone, boardNames, toggle, open } = useCalendarTools();
  const result = pin.reason ?? metricsText(pin);
  const note = clockNoteOf(pin, zone);
  const menu = usePinMenu();
  return (
    <div
      {...menu.area}
      data-slot="calendar-row"
      className={cn(
        "flex min-w-0 items-center gap-3 border-b border-line py-2 pr-1 pl-2",
        isPending && "animate-pulse",
      )}
    >
      {pin.status === "scheduled" ? (
        <label className="-m-2 grid size-11 flex-none place-items-center">
          <input
            type="checkbox"
            className={CHECKBOX}
            checked={isSelected}
            aria-label={`Select ${pin.title}`}
            onChange={() => toggle(pin.id)}
          />
        </label>
      ) : (
        <span className="w-7 flex-none" />
      )}
      <PinThumb src={pin.image_url} className="h-14 w-9" />
      <button
        type="button"
        data-pin-id={pin.id}
        className="min-w-0 flex-1 text-left hover:[&_b]:underline"
        onClick={() => open(pin.id)}
      >
        <b className="block truncate font-[550]">{pin.title}</b>
        <span className="num block truncate text-sm text-ink-3">
          {timeLabel(pin.at, zone)}
          {boardNames.has(pin.board_id) && `, ${boardNames.get(pin.board_id)}`}
        </span>
        {result && (
          <span className={cn("block text-xs", pin.status === "failed" ? "text-failed-ink" : "text-ink-3")}>
            {result}
          </span>
        )}
        {note && <span className="block text-xs text-ink-3">{note}</span>}
      </button>
      <FormatChip format={pin.format} className="max-md:hidden" />
      <StatusChip state={pin.status} className="max-md:hidden" />
      <PinMenu pin={pin} isSelected={isSelected} state={menu.state} onOpen={menu.open} />
    </div>
  );
});
