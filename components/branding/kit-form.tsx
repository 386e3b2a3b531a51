"use client";

import { type ReactNode, useId, useState } from "react";
import { useUnsaved } from "#components/shared/use-unsaved.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { FieldNote } from "#components/ui/field.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/api.ts";
import {
  type BrandColors,
  FONT_PAIRINGS,
  type FontPairing,
  TEMPLATE_NAMES,
  type TemplateName,
} from "#lib/core/images.ts";
import { saveKitAction } from "#lib/features/branding/actions.ts";
import { PAIRINGS, TEMPLATES, TEXTS } from "#lib/features/branding/constants.ts";
import type { KitWire } from "#lib/features/branding/schema.ts";
import { BrandSection } from "./brand-section.tsx";
import { ColorSection } from "./color-section.tsx";
import { LogoSection } from "./logo-section.tsx";
import { PreviewPane, usePreviews } from "./previews.tsx";

const SAMPLE = "text-[1.25rem]/[1.25]";
/** The name of each pairing is shown in its headline style. */
const SAMPLES: Record<FontPairing, string> = {
  reading: `${SAMPLE} font-display`,
  broadsheet: `${SAMPLE} font-display font-bold`,
  italic: `${SAMPLE} font-display italic`,
  poster: `${SAMPLE} font-extrabold tracking-[-0.02em]`,
  capitals: "text-[1rem]/[1.56] font-bold tracking-[0.015em] uppercase",
  quiet: `${SAMPLE} font-light`,
};

type PairingSectionProps = { value: FontPairing; disabled: boolean; onChange: (value: FontPairing) => void };

function PairingSection({ value, disabled, onChange }: PairingSectionProps) {
  const name = useId();
  return (
    <BrandSection headingId="brand-fonts">
      <h2 id="brand-fonts" className="title-3">
        Fonts
      </h2>
      <fieldset className="grid grid-cols-3 gap-2.5 max-md:grid-cols-2" disabled={disabled}>
        <legend className="sr-only">Font pairing</legend>
        {FONT_PAIRINGS.map((pairing) => (
          <label
            key={pairing}
            className={cn(
              "relative grid gap-0.5 content-start py-3 px-3.5 rounded-control cursor-pointer border",
              "border-line-2 hover:bg-hover",
              "has-checked:shadow-[inset_0_0_0_1px_var(--accent)] has-checked:border-accent",
              "has-focus-visible:outline-[2.5px] has-focus-visible:outline-solid",
              "has-focus-visible:outline-focus has-focus-visible:outline-offset-3",
            )}
          >
            <input
              type="radio"
              className="sr-only"
              name={name}
              value={pairing}
              checked={pairing === value}
              onChange={() => onChange(pairing)}
            />
            <span className={cn("text-ink", SAMPLES[pairing])}>{PAIRINGS[pairing].label}</span>
            <span className="text-xs text-ink-3">{PAIRINGS[pairing].about}</span>
          </label>
        ))}
      </fieldset>
    </BrandSection>
  );
}

type Choice = { colors: BrandColors; fontPairing: FontPairing };

const toChoice = ({ colours, font_pairing }: KitWire): Choice => ({ colors: colours, fontPairing: font_pairing });

type KitFormProps = {
  first: KitWire;
  username: string;
  /** Below the kit, beside the preview. */
  children?: ReactNode;
};

/** Colors, fonts and logo beside a preview on the account's newest image, or on a sample. */
export function KitForm({ first, username, children }: KitFormProps) {
  const [kit, setKit] = useState(first);
  const [choice, setChoice, isSaved] = useUnsaved(`kit ${kit.account_id}`, toChoice(kit));
  const { colors, fontPairing } = choice;
  const [template, setTemplate] = useState<TemplateName>("label");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const request = { accountId: kit.account_id, pinId: null, words: null, signature: username };
  const previews = usePreviews(
    { ...request, hasLogo: kit.logo_url !== null, colors, fontPairing, logoUrl: kit.logo_url },
    template,
    { hasRow: false },
  );

  async function save(): Promise<void> {
    setBusy(true);
    setProblem(null);
    const answer = await callAction(saveKitAction({ accountId: kit.account_id, colors, fontPairing }));
    setBusy(false);
    if (!answer.ok) return setProblem(answer.text);
    setKit(answer.value);
    showToast(TEXTS.saved, { hasCheck: true });
  }

  return (
    <div
      className={cn(
        "grid grid-cols-[minmax(0,1fr)_minmax(0,330px)] gap-y-8 gap-x-10 items-start",
        "max-[64rem]:flex max-[64rem]:flex-col max-[64rem]:items-stretch max-[64rem]:gap-5",
      )}
    >
      <div className="grid min-w-0 gap-5">
        <ColorSection colors={colors} disabled={isBusy} onChange={(next) => setChoice({ ...choice, colors: next })} />
        <PairingSection
          value={fontPairing}
          disabled={isBusy}
          onChange={(next) => setChoice({ ...choice, fontPairing: next })}
        />
        <LogoSection kit={kit} onKit={setKit} />
        {problem && (
          <FieldNote role="alert" isError>
            {problem}
          </FieldNote>
        )}
        <div
          className={cn(
            "sticky bottom-0 z-(--z-sticky) flex flex-wrap items-center gap-y-2 gap-x-4 pt-3",
            "pb-[calc(12px_+_env(safe-area-inset-bottom))] bg-page border-t border-line",
          )}
        >
          <Button variant="primary" isBusy={isBusy} disabled={isSaved && !isBusy} onClick={() => void save()}>
            Save brand kit
          </Button>
          <p className="text-sm text-ink-3">
            {isSaved
              ? "All changes saved."
              : "Unsaved changes. Existing images keep their look until you apply a template again."}
          </p>
        </div>
        {children}
      </div>
      <aside
        className={cn(
          "sticky top-6",
          "max-[64rem]:top-0 max-[64rem]:z-(--z-sticky) max-[64rem]:-order-1 max-[64rem]:my-0",
          "max-[64rem]:-mx-2 max-[64rem]:pt-2 max-[64rem]:pb-3 max-[64rem]:px-2 max-[64rem]:bg-page",
          "max-[64rem]:border-b max-[64rem]:border-line max-md:top-(--topbar)",
        )}
        aria-label="Preview"
      >
        <PreviewPane previews={previews} isAside>
          <SelectField
            label="Template"
            value={template}
            onChange={(event) => setTemplate(TEMPLATE_NAMES.find((one) => one === event.target.value) ?? template)}
          >
            {TEMPLATE_NAMES.map((one) => (
              <option key={one} value={one}>
                {TEMPLATES[one].label}
              </option>
            ))}
          </SelectField>
        </PreviewPane>
      </aside>
    </div>
  );
}
