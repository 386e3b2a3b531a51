"use client";

import { useState } from "react";
import { ColourSection } from "#components/branding/colour-section.tsx";
import { LogoSection } from "#components/branding/logo-section.tsx";
import { PairingSection } from "#components/branding/pairing-section.tsx";
import { PreviewPane } from "#components/branding/preview-pane.tsx";
import { usePreviews } from "#components/branding/use-previews.ts";
import { useUnsavedKit } from "#components/branding/use-unsaved-kit.ts";
import { Button } from "#components/ui/button.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { TEMPLATE_NAMES, type TemplateName } from "#lib/core/picture-templates.ts";
import { saveKitAction } from "#lib/features/branding/actions.ts";
import { TEMPLATES, TEXTS } from "#lib/features/branding/constants.ts";
import type { KitWire } from "#lib/features/branding/schema.ts";

type KitFormProps = { first: KitWire; username: string };

/** Colours, fonts and logo beside what they look like, on a picture of the account's own where it has one. */
export function KitForm({ first, username }: KitFormProps) {
  const [kit, setKit] = useState(first);
  const { colours, fontPairing, isSaved, setColours, setFontPairing } = useUnsavedKit(kit);
  const [template, setTemplate] = useState<TemplateName>("label");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const asked = { accountId: kit.account_id, pinId: null, words: null, signature: username };
  const previews = usePreviews(
    { ...asked, hasLogo: kit.logo_url !== null, colours, fontPairing, logoUrl: kit.logo_url },
    template,
    { hasRow: false },
  );

  async function save(): Promise<void> {
    setBusy(true);
    setProblem(null);
    const answer = await callAction(saveKitAction({ accountId: kit.account_id, colours, fontPairing }));
    setBusy(false);
    if (!answer.ok) return setProblem(answer.text);
    setKit(answer.value);
    showToast(TEXTS.saved, { hasCheck: true });
  }

  return (
    <div className="brand-layout">
      <div className="grid min-w-0 gap-5">
        <ColourSection colours={colours} disabled={isBusy} onChange={setColours} />
        <PairingSection value={fontPairing} disabled={isBusy} onChange={setFontPairing} />
        <LogoSection kit={kit} onKit={setKit} />
        {problem && (
          <p role="alert" className="field-error">
            {problem}
          </p>
        )}
        <div className="brand-save">
          <Button variant="primary" isBusy={isBusy} disabled={isSaved && !isBusy} onClick={() => void save()}>
            Save brand kit
          </Button>
          <p className="text-sm text-ink-3">
            {isSaved
              ? "All changes are kept."
              : "Not saved yet. Pictures that have a template stay as they are until you use one again."}
          </p>
        </div>
      </div>
      <aside className="brand-side" aria-label="Preview">
        <PreviewPane previews={previews}>
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
