import { useId } from "react";
import { cn } from "#components/ui/cn.ts";
import { FONT_PAIRINGS, type FontPairing } from "#lib/core/picture-templates.ts";
import { PAIRINGS } from "#lib/features/branding/constants.ts";

type PairingSectionProps = { value: FontPairing; disabled: boolean; onChange: (value: FontPairing) => void };

/** The pairs of faces, each named in its own. */
export function PairingSection({ value, disabled, onChange }: PairingSectionProps) {
  const name = useId();
  return (
    <section className="card brand-section" aria-labelledby="brand-fonts">
      <h2 id="brand-fonts" className="title-3">
        Fonts
      </h2>
      <fieldset className="pairing-list" disabled={disabled}>
        <legend className="sr-only">Font pairing</legend>
        {FONT_PAIRINGS.map((pairing) => (
          <label key={pairing} className="pairing-choice">
            <input
              type="radio"
              className="sr-only"
              name={name}
              value={pairing}
              checked={pairing === value}
              onChange={() => onChange(pairing)}
            />
            <span className={cn("pairing-sample", `pairing-${pairing}`)}>{PAIRINGS[pairing].label}</span>
            <span className="text-xs text-ink-3">{PAIRINGS[pairing].about}</span>
          </label>
        ))}
      </fieldset>
    </section>
  );
}
