"use client";

import { useEffect, useId, useState } from "react";
import { Field } from "#components/ui/field.tsx";
import type { BrandColours } from "#lib/core/images.ts";
import { PALETTES, TEXTS } from "#lib/features/branding/constants.ts";
import { judgeColours } from "#lib/features/branding/policy.ts";

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
function ColourField({ label, value, hint, disabled, onChange }: ColourFieldProps) {
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

type ColourSectionProps = { colours: BrandColours; disabled: boolean; onChange: (colours: BrandColours) => void };

const isSame = (one: BrandColours, other: BrandColours): boolean =>
  one.panel === other.panel && one.words === other.words && one.accent === other.accent;

/** Palettes to begin with, and the three colours themselves with their measured contrast. */
export function ColourSection({ colours, disabled, onChange }: ColourSectionProps) {
  const { contrast, isEnough } = judgeColours(colours);
  const change = (part: keyof BrandColours) => (value: string) => onChange({ ...colours, [part]: value });
  return (
    <section className="card brand-section" aria-labelledby="brand-colours">
      <h2 id="brand-colours" className="title-3">
        Colours
      </h2>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, these are buttons */}
      <div className="palettes" role="group" aria-label="Palettes">
        {PALETTES.map((palette) => (
          <button
            key={palette.label}
            type="button"
            className="palette-choice"
            disabled={disabled}
            aria-pressed={isSame(palette.colours, colours)}
            onClick={() => onChange(palette.colours)}
          >
            <span className="palette-dots" aria-hidden="true">
              {Object.entries(palette.colours).map(([part, colour]) => (
                <span key={part} style={{ background: colour }} />
              ))}
            </span>
            {palette.label}
          </button>
        ))}
      </div>
      <div className="colour-fields">
        <ColourField label="Paper" value={colours.panel} disabled={disabled} onChange={change("panel")} />
        <ColourField label="Words" value={colours.words} disabled={disabled} onChange={change("words")} />
        <ColourField label="Accent" value={colours.accent} disabled={disabled} onChange={change("accent")} />
      </div>
      <p className="field-note" role="status">
        Words on paper: contrast <span className="num">{(Math.floor(contrast * 10) / 10).toFixed(1)}</span>.{" "}
        {isEnough
          ? "Easy to read."
          : "Below 4.5 the words are hard to read: pictures then get black or white words instead."}
      </p>
    </section>
  );
}
