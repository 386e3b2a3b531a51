"use client";

import { useEffect, useId, useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { Field, FieldNote } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import type { BrandColors } from "#lib/core/images.ts";
import { PALETTES, TEXTS } from "#lib/features/branding/constants.ts";
import { measureContrast } from "#lib/features/branding/policy.ts";
import { BrandSection } from "./brand-section.tsx";

type ColorFieldProps = {
  label: string;
  /** As `#rrggbb`. */
  value: string;
  hint?: string;
  disabled?: boolean;
  onChange: (value: string) => void;
};

const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** A color picker beside a hex input. `onChange` is called only with valid colors. */
function ColorField({ label, value, hint, disabled, onChange }: ColorFieldProps) {
  const [text, setText] = useState(value);
  const id = useId();
  useEffect(() => setText(value), [value]);

  function type(typed: string): void {
    const digits = typed.trim().replace(/^#?/, "#");
    setText(typed);
    if (isColor(digits)) onChange(digits.toLowerCase());
  }

  const isWrong = !isColor(text.trim().replace(/^#?/, "#"));
  return (
    <Field id={id} label={label} hint={hint} error={isWrong ? TEXTS.colorInvalid : undefined}>
      {(control) => (
        <span className="grid grid-cols-[var(--h-control)_minmax(0,1fr)] gap-2">
          <input
            type="color"
            className={cn(
              "size-(--h-control) p-[3px] rounded-control bg-surface cursor-pointer border border-control",
              "[&::-webkit-color-swatch-wrapper]:p-0",
              "[&::-webkit-color-swatch]:rounded-[5px] [&::-webkit-color-swatch]:border-0",
              "[&::-moz-color-swatch]:rounded-[5px] [&::-moz-color-swatch]:border-0",
            )}
            aria-label={`Choose a color: ${label}`}
            value={value}
            disabled={disabled}
            onChange={(event) => onChange(event.target.value)}
          />
          <Input
            className="num"
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

type ColorSectionProps = { colors: BrandColors; disabled: boolean; onChange: (colors: BrandColors) => void };

const isSame = (one: BrandColors, other: BrandColors): boolean =>
  one.panel === other.panel && one.words === other.words && one.accent === other.accent;

export function ColorSection({ colors, disabled, onChange }: ColorSectionProps) {
  const { contrast, isEnough } = measureContrast(colors);
  const change = (part: keyof BrandColors) => (value: string) => onChange({ ...colors, [part]: value });
  return (
    <BrandSection headingId="brand-colors">
      <h2 id="brand-colors" className="title-3">
        Colors
      </h2>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, these are buttons */}
      <div className="flex flex-wrap gap-2" role="group" aria-label="Palettes">
        {PALETTES.map((palette) => (
          <button
            key={palette.label}
            type="button"
            className={cn(
              "inline-flex items-center gap-[9px] min-h-[max(38px,var(--h-control-sm))] py-0 pr-3 pl-2",
              "rounded-control bg-surface text-sm text-ink-2 border border-line-2 hover:bg-hover",
              "aria-pressed:shadow-[inset_0_0_0_1px_var(--accent)] aria-pressed:text-ink",
              "aria-pressed:border-accent",
            )}
            disabled={disabled}
            aria-pressed={isSame(palette.colors, colors)}
            onClick={() => onChange(palette.colors)}
          >
            <span
              className={cn(
                "inline-flex",
                "[&_span]:size-4.5 [&_span]:ml-[-5px] [&_span]:rounded-full",
                "[&_span]:shadow-[0_0_0_1.5px_var(--surface),0_0_0_2.5px_var(--line-2)] [&_span:first-child]:ml-0",
              )}
              aria-hidden="true"
            >
              {Object.entries(palette.colors).map(([part, color]) => (
                <span key={part} style={{ background: color }} />
              ))}
            </span>
            {palette.label}
          </button>
        ))}
      </div>
      <div className="grid grid-cols-3 gap-3.5 max-md:grid-cols-1">
        <ColorField label="Background" value={colors.panel} disabled={disabled} onChange={change("panel")} />
        <ColorField label="Text" value={colors.words} disabled={disabled} onChange={change("words")} />
        <ColorField label="Accent" value={colors.accent} disabled={disabled} onChange={change("accent")} />
      </div>
      <FieldNote role="status">
        Text contrast: <span className="num">{(Math.floor(contrast * 10) / 10).toFixed(1)}</span>.{" "}
        {isEnough ? "Easy to read." : "Below 4.5, text is hard to read, so images use black or white text instead."}
      </FieldNote>
    </BrandSection>
  );
}
