"use client";

import { useState } from "react";
import { SectionOptions, useSections } from "#components/accounts/section-field.tsx";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { usePinChanges } from "./use-pin-changes.ts";

const MIXED = "mixed";

/** The value that all have, or null when they differ. */
const sharedBy = <T,>(values: readonly T[]): { value: T } | null => {
  const [first, ...others] = values;
  return first !== undefined && others.every((other) => other === first) ? { value: first } : null;
};

type SectionChoiceProps = { pins: readonly PinWire[]; onChanged: () => void };

/** The section of the selected pins, in the schedule bar; nothing unless they share a board with sections to choose or clear. */
export function SectionChoice({ pins, onChanged }: SectionChoiceProps) {
  const boardId = sharedBy(pins.map((pin) => pin.board_id))?.value ?? null;
  const { items } = useSections(pins[0]?.account_id ?? null, boardId);
  const { isBusy, edit } = usePinChanges({ onChanged });
  const [pending, setPending] = useState<{ value: string | null } | null>(null);
  if (boardId === null || !items) return null;
  const shared = isBusy ? pending : sharedBy(pins.map((pin) => pin.board_section_id));
  const chosen = shared?.value ?? null;
  if (items.length === 0 && !isBusy && pins.every((pin) => pin.board_section_id === null)) return null;
  const choose = (boardSectionId: string | null) => {
    if (isBusy) return;
    setPending({ value: boardSectionId });
    const ids = pins.map(({ id }) => id);
    void edit(ids, { boardId, boardSectionId });
  };
  return (
    <label className="flex items-center gap-2 text-band-2">
      <span aria-hidden="true">Section</span>
      <select
        aria-label="Section"
        className="h-10 max-w-48 rounded-[9px] border border-band-2 bg-band-raised px-2.5 font-semibold text-band-ink scheme-dark max-md:h-11"
        value={shared ? (chosen ?? "") : MIXED}
        aria-busy={isBusy}
        onChange={({ target }) => choose(target.value || null)}
      >
        {!shared && (
          <option value={MIXED} disabled>
            Different sections
          </option>
        )}
        <SectionOptions items={items} value={chosen} />
      </select>
    </label>
  );
}
