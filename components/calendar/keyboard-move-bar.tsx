"use client";

import { type KeyboardEvent, useEffect, useRef } from "react";
import { dayLabel } from "#components/publishing/moments.ts";
import { addDays } from "#lib/features/calendar/policy.ts";
import type { KeyboardMove } from "./calendar-context.ts";
import { hourLabel } from "./calendar-query.ts";

type Target = KeyboardMove["target"];

const shiftHour = (target: Target, step: number): Target => {
  if (target.kind === "day") return { ...target, date: addDays(target.date, step * 7) };
  const hour = target.hour + step;
  if (hour < 0) return { ...target, date: addDays(target.date, -1), hour: 23 };
  return hour > 23 ? { ...target, date: addDays(target.date, 1), hour: 0 } : { ...target, hour };
};

/** Where an arrow key moves: a day sideways; up and down an hour in the week, else a week. */
const targetAfter = (target: Target, key: string): Target | null => {
  if (key === "ArrowLeft") return { ...target, date: addDays(target.date, -1) };
  if (key === "ArrowRight") return { ...target, date: addDays(target.date, 1) };
  if (key === "ArrowUp") return shiftHour(target, -1);
  return key === "ArrowDown" ? shiftHour(target, 1) : null;
};

const targetLabel = (target: Target): string =>
  target.kind === "hour" ? `${dayLabel(target.date)}, ${hourLabel(target.hour)}` : dayLabel(target.date);

/** For this long after opening, the menu or dialog that closed may still move the focus. */
const SETTLE_MS = 400;

type KeyboardMoveBarProps = {
  keyboardMove: KeyboardMove;
  onTarget: (target: Target) => void;
  onDrop: () => void;
  onCancel: () => void;
};

/** Moves picked-up pins with the arrow keys, also out of the view, and says where they are. */
export function KeyboardMoveBar({ keyboardMove, onTarget, onDrop, onCancel }: KeyboardMoveBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const openedAt = useRef(0);
  useEffect(() => {
    openedAt.current = performance.now();
    bar.current?.focus({ preventScroll: true });
  }, []);
  const onBlur = () => {
    // The menu or dialog that it was opened from gives the focus back once it has closed.
    if (performance.now() - openedAt.current < SETTLE_MS) requestAnimationFrame(() => bar.current?.focus());
    else onCancel();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = targetAfter(keyboardMove.target, event.key);
    const isDrop = (event.key === "Enter" || event.key === " ") && !event.repeat;
    if (!next && !isDrop && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (next) onTarget(next);
    else if (isDrop) onDrop();
    else onCancel();
  };
  const { pins } = keyboardMove;
  const what = pins.length === 1 ? `“${pins[0]?.title}”` : `${pins.length} pins`;
  return (
    <div
      ref={bar}
      role="application"
      aria-label="Moving pins"
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      className="fixed inset-x-4 bottom-4 z-(--z-toast) mx-auto max-w-xl rounded-[11px] bg-band px-4 py-3 text-sm text-band-ink shadow-bar"
    >
      <p role="status" aria-live="assertive" className="font-medium wrap-anywhere">
        {what}: {targetLabel(keyboardMove.target)}
      </p>
      <p className="text-xs text-band-2">Use the arrow keys to move, Enter to drop, and Escape to cancel.</p>
    </div>
  );
}
