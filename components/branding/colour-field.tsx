"use client";

import { useEffect, useId, useState } from "react";
import { Field } from "#components/ui/field.tsx";
import { TEXTS } from "#lib/features/branding/constants.ts";

type ColourFieldProps = {
  label: string;
  /** As `#rrggbb`. */
  value: string;
  hint?: string;
  disabled?: boolean;
  onChange: (value: string) => void;
};

const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** A colour by the browser's own picker or by its six digits; what is no colour is not told. */
export function ColourField({ label, value, hint, disabled, onChange }: ColourFieldProps) {
  const [text, setText] = useState(value);
  const id = useId();
  useEffect(() => setText(value), [value]);

  function type(typed: string): void {
    const digits = typed.trim().replace(/^#?/, "#");
    setText(typed);
    if (isColour(digits)) onChange(digits.toLowerCase());
  }

  const isWrong = !isColour(text.trim().replace(/^#?/, "#"));
  return (
    <Field id={id} label={label} hint={hint} error={isWrong ? TEXTS.colourInvalid : undefined}>
      {(control) => (
        <span className="colour-control">
          <input
            type="color"
            className="colour-well"
            aria-label={`${label}: choose`}
            value={value}
            disabled={disabled}
            onChange={(event) => onChange(event.target.value)}
          />
          <input
            className="input num"
            spellCheck={false}
            autoCapitalize="none"
            maxLength={9}
            value={text}
            disabled={disabled}
            onChange={(event) => type(event.target.value)}
            onBlur={() => setText(value)}
            {...control}
          />
        </span>
      )}
    </Field>
  );
}
