"use client";

import { useCallback, useMemo, useRef, useState } from "react";
import { rangeOf } from "#components/pins/pin-list.ts";
import type { LiveRows } from "#lib/client/live-cache.ts";
import { PINS_AT_ONCE_MAX } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

/** The selected drafts in the order of selection, which is the order of publishing. */
export interface Selection {
  ids: string[];
  /** The current state of the same drafts. */
  pins: PinWire[];
  /** From 1; undefined when not selected. */
  positionOf: (id: string) => number | undefined;
  /** `isRange`: everything from the last toggled draft to this one (Shift key). */
  toggle: (pin: PinWire, isRange?: boolean) => void;
  /** Appends to the selection. */
  add: (pins: readonly PinWire[]) => void;
  clear: () => void;
  remove: (ids: readonly string[]) => void;
  /** Undoes `clear`: selects these before what was selected since. */
  restore: (pins: readonly PinWire[]) => void;
}

const without = (pins: readonly PinWire[], others: readonly PinWire[]): PinWire[] => {
  const ids = new Set(others.map(({ id }) => id));
  return pins.filter(({ id }) => !ids.has(id));
};

interface SelectionOptions {
  accountId: string | null;
  /** The loaded pins in their order. */
  pins: readonly PinWire[];
  /** Live updates of pins, in the list or not. */
  rows: LiveRows<PinWire>;
  /** Called when a selection exceeds the limit. */
  onFull: () => void;
}

/** The current state of the selected pins that are still drafts of this account. */
const useCurrentDrafts = (
  chosen: readonly PinWire[],
  { accountId, pins, rows }: Omit<SelectionOptions, "onFull">,
): PinWire[] =>
  useMemo(() => {
    const shown = new Map(pins.map((pin) => [pin.id, pin]));
    const now = (pin: PinWire): PinWire | null => {
      const row = rows.get(pin.id);
      return shown.get(pin.id) ?? (row ? row.value : pin);
    };
    return chosen
      .flatMap((pin) => now(pin) ?? [])
      .filter((pin) => pin.status === "draft" && pin.account_id === accountId);
  }, [chosen, pins, rows, accountId]);

/** Holds the selection across searches and pages. Pins that are no longer drafts leave it. */
export const useSelection = ({ accountId, pins, rows, onFull }: SelectionOptions): Selection => {
  const [chosen, setChosen] = useState<PinWire[]>([]);
  const anchor = useRef<string | null>(null);
  const selected = useCurrentDrafts(chosen, { accountId, pins, rows });
  const ids = useMemo(() => selected.map(({ id }) => id), [selected]);
  const places = useMemo(() => new Map(ids.map((id, at) => [id, at + 1])), [ids]);

  const add = useCallback(
    (more: readonly PinWire[]) => {
      const fresh = without(more, selected);
      const remaining = PINS_AT_ONCE_MAX - selected.length;
      if (fresh.length > remaining) onFull();
      const added = fresh.slice(0, remaining);
      setChosen((before) => [...without(before, added), ...added]);
    },
    [selected, onFull],
  );
  const toggle = useCallback(
    (pin: PinWire, isRange = false) => {
      const from = anchor.current;
      anchor.current = pin.id;
      const range = isRange ? rangeOf(pins, from, pin) : [pin];
      if (places.has(pin.id)) setChosen((before) => without(before, range));
      else add(range);
    },
    [places, pins, add],
  );
  return {
    ids,
    pins: selected,
    positionOf: useCallback((id) => places.get(id), [places]),
    toggle,
    add,
    clear: useCallback(() => setChosen([]), []),
    remove: useCallback((removed) => setChosen((before) => before.filter(({ id }) => !removed.includes(id))), []),
    restore: useCallback(
      (before) => setChosen((since) => [...before, ...without(since, before)].slice(0, PINS_AT_ONCE_MAX)),
      [],
    ),
  };
};
