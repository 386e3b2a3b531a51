import { useId } from "react";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { LABEL } from "#components/ui/field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { IMAGE_ABOUT_MAX, IMAGE_STYLES, type ImageStyle } from "#lib/features/branding/constants.ts";
import type { VoiceWire } from "#lib/features/branding/schema.ts";
import { OwnStyles, type StyleChoice } from "./own-styles.tsx";

type Choice = StyleChoice & Pick<VoiceWire, "image_about" | "has_brand_colors">;

interface Look {
  back: string;
  table: string | null;
  vase: string;
  leaves: string;
  /** Of the soft shadow beside the vase; null for none. */
  shadow: string | null;
}

/** The same vase in each style, so that only the style differs. */
const LOOKS: Record<ImageStyle | "none", Look> = {
  none: { back: "#eceae4", table: "#d9d5cb", vase: "#b9b2a4", leaves: "#8b9184", shadow: null },
  daylight: { back: "#f4efe2", table: "#ddc9a6", vase: "#f9f6ef", leaves: "#6f9463", shadow: "#bda886" },
  flat_lay: { back: "#e9dfd0", table: null, vase: "#c7704f", leaves: "#5d7f58", shadow: "#cfc0a9" },
  studio: { back: "#f2f2f0", table: null, vase: "#2f5d50", leaves: "#4c8a6d", shadow: "#dededa" },
  moody: { back: "#1d1f1e", table: "#33291f", vase: "#6d4a34", leaves: "#4a6149", shadow: "#0f100f" },
  watercolor: { back: "#fdfcf8", table: "#f3e3d6", vase: "#9cc3cf", leaves: "#a9c48f", shadow: "#e6eef0" },
  flat: { back: "#f6c65b", table: "#e4573d", vase: "#1f3b57", leaves: "#27736b", shadow: null },
};

function StyleDrawing({ look, isSoft, isAbove }: { look: Look; isSoft: boolean; isAbove: boolean }) {
  const id = useId();
  return (
    <svg viewBox="0 0 60 90" aria-hidden="true" className="block w-full rounded-[5px]">
      {isSoft && (
        <filter id={id} x="-20%" y="-20%" width="140%" height="140%">
          <feTurbulence type="fractalNoise" baseFrequency="0.05" numOctaves="2" />
          <feDisplacementMap in="SourceGraphic" scale="7" />
        </filter>
      )}
      <rect width="60" height="90" fill={look.back} />
      <g filter={isSoft ? `url(#${id})` : undefined}>
        {look.table && <rect y="66" width="60" height="24" fill={look.table} />}
        {isAbove ? (
          <>
            {look.shadow && <circle cx="33" cy="48" r="17" fill={look.shadow} />}
            <circle cx="30" cy="45" r="17" fill={look.vase} />
            <circle cx="30" cy="45" r="11" fill={look.leaves} />
            <path d="M8 78l8-30 6 1z" fill={look.leaves} />
          </>
        ) : (
          <>
            {look.shadow && <ellipse cx="38" cy="74" rx="18" ry="4" fill={look.shadow} />}
            <path
              d="M30 50C18 44 14 30 20 18c8 6 12 18 10 32zm0 0c-1-14 4-26 13-30 4 12-2 25-13 30z"
              fill={look.leaves}
            />
            <path d="M23 46h14l4 12c2 8-2 16-6 16H25c-4 0-8-8-6-16z" fill={look.vase} />
          </>
        )}
      </g>
    </svg>
  );
}

const OPTIONS: readonly (readonly [ImageStyle | "none", string])[] = [
  ["none", "No style"],
  ...(Object.entries(IMAGE_STYLES) as [ImageStyle, string][]),
];

type ImageStyleFieldsProps = {
  typed: Choice;
  problems: Record<string, string[]>;
  onChange: (part: Partial<Choice>) => void;
};

/** What generated images of an account look like. */
export function ImageStyleFields({ typed, problems, onChange }: ImageStyleFieldsProps) {
  const name = useId();
  return (
    <>
      <fieldset className="grid gap-1.5">
        <legend className={cn(LABEL, "mb-1.5")}>Image style</legend>
        <div className="grid grid-cols-4 gap-2.5 sm:grid-cols-7">
          {OPTIONS.map(([code, label]) => (
            <label
              key={code}
              className={cn(
                "relative grid content-start gap-1 rounded-control border border-line-2 p-1 text-center text-xs/[1.25]",
                "has-checked:border-accent has-checked:font-semibold has-checked:shadow-[inset_0_0_0_1px_var(--accent)]",
                "has-focus-visible:outline-[2.5px] has-focus-visible:outline-offset-2 has-focus-visible:outline-focus",
              )}
            >
              <input
                type="radio"
                className="absolute inset-0 size-full appearance-none outline-none"
                name={name}
                value={code}
                checked={typed.own_key === null && (typed.image_style ?? "none") === code}
                onChange={() => onChange({ image_style: code === "none" ? null : code, own_key: null })}
              />
              <StyleDrawing look={LOOKS[code]} isSoft={code === "watercolor"} isAbove={code === "flat_lay"} />
              {label}
            </label>
          ))}
        </div>
        <OwnStyles typed={typed} group={name} problems={problems} onChange={onChange} />
      </fieldset>
      <TextAreaField
        label="Describe your images"
        rows={2}
        maxLength={IMAGE_ABOUT_MAX}
        hint="For example, a place, a surface, or a time of day. It applies to generated images only."
        placeholder="On a pale oak table near a window, with linen in the background."
        value={typed.image_about}
        error={problems.imageAbout?.[0]}
        onChange={(event) => onChange({ image_about: event.target.value })}
      />
      <Checkbox
        label="Use the colors of this brand kit in images"
        checked={typed.has_brand_colors}
        onChange={(event) => onChange({ has_brand_colors: event.target.checked })}
      />
    </>
  );
}
