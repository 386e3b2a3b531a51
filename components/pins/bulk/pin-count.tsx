"use client";

import { useEffect, useState } from "react";
import { TextField } from "#components/ui/text-field.tsx";
import { BULK_MAX } from "#lib/features/pins/constants.ts";

type PinCountProps = { count: number; isDisabled: boolean; onChange: (count: number) => void };

const countOf = (text: string): number | null => {
  const count = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  return count >= 1 && count <= BULK_MAX ? count : null;
};

/** How many pins (R-BULK-02). What is no number of pins changes nothing, and is put right when the field is left. */
export function PinCount({ count, isDisabled, onChange }: PinCountProps) {
  const [text, setText] = useState(String(count));
  useEffect(() => setText(String(count)), [count]);
  return (
    <TextField
      label="Number of pins"
      type="number"
      inputMode="numeric"
      min={1}
      max={BULK_MAX}
      step={1}
      value={text}
      disabled={isDisabled}
      error={countOf(text) === null && text !== "" ? `From 1 to ${BULK_MAX}.` : undefined}
      onChange={(event) => {
        setText(event.target.value);
        const asked = countOf(event.target.value);
        if (asked !== null) onChange(asked);
      }}
      onBlur={() => setText(String(count))}
    />
  );
}
