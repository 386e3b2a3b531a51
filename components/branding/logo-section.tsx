"use client";

import { useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { FieldNote } from "#components/ui/field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction, describeFailure } from "#lib/client/api.ts";
import { upload } from "#lib/client/files.ts";
import { removeLogoAction } from "#lib/features/branding/actions.ts";
import { LOGO_BYTES_MAX, LOGO_PART, TEXTS } from "#lib/features/branding/constants.ts";
import type { KitWire } from "#lib/features/branding/schema.ts";
import { BrandSection } from "./brand-section.tsx";

type LogoOutcome = { kind: "saved"; kit: KitWire } | { kind: "refused"; text: string };

const UNREACHABLE = "We couldn't upload the logo. Please try again.";

/** Uploads a logo. The server checks the file's content. */
const sendLogo = async (accountId: string, file: File): Promise<LogoOutcome> => {
  if (file.size > LOGO_BYTES_MAX) return { kind: "refused", text: TEXTS.logoTooLarge };
  const form = new FormData();
  form.set(LOGO_PART, file);
  const path = `/api/users/pinterest/brand/${accountId}/logo/`;
  try {
    const options = { headers: {}, onSent: () => undefined, signal: new AbortController().signal };
    return { kind: "saved", kit: await upload<KitWire>(path, form, options) };
  } catch (error) {
    return { kind: "refused", text: describeFailure(error, UNREACHABLE) };
  }
};

type LogoSectionProps = { kit: KitWire; onKit: (kit: KitWire) => void };

/** A chosen logo is saved immediately, unlike the fields of the form. */
export function LogoSection({ kit, onKit }: LogoSectionProps) {
  const field = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function saveLogo(file: File | undefined): Promise<void> {
    if (!file || isBusy) return;
    setBusy(true);
    setProblem(null);
    const outcome = await sendLogo(kit.account_id, file);
    setBusy(false);
    if (outcome.kind === "refused") return setProblem(outcome.text);
    onKit(outcome.kit);
    showToast(TEXTS.logoSaved, { hasCheck: true });
  }

  async function remove(): Promise<void> {
    setBusy(true);
    setProblem(null);
    const answer = await callAction(removeLogoAction({ accountId: kit.account_id }));
    setBusy(false);
    if (!answer.ok) return setProblem(answer.text);
    onKit(answer.value);
    showToast(TEXTS.logoRemoved, { hasCheck: true });
  }

  return (
    <BrandSection headingId="brand-logo">
      <h2 id="brand-logo" className="title-3">
        Logo
      </h2>
      <div className="flex flex-wrap items-center gap-5">
        <span
          className={cn(
            "grid place-items-center w-33 h-24 p-3 rounded-control bg-well text-ink-3 text-xs border",
            "border-dashed border-line-2 [&_img]:size-auto [&_img]:max-w-full [&_img]:max-h-18",
          )}
        >
          {kit.logo_url ? (
            // biome-ignore lint/performance/noImgElement: small, and cached forever under its own URL
            <img src={kit.logo_url} alt="Your logo" width={400} height={200} />
          ) : (
            "No logo yet"
          )}
        </span>
        <div className="grid gap-2.5">
          <div className="flex flex-wrap gap-2">
            <Button isBusy={isBusy} onClick={() => field.current?.click()}>
              {kit.logo_url ? "Choose another" : "Choose a logo"}
            </Button>
            {kit.logo_url && (
              <Button variant="danger-quiet" disabled={isBusy} onClick={() => void remove()}>
                Remove
              </Button>
            )}
          </div>
          <input
            ref={field}
            type="file"
            className="sr-only"
            tabIndex={-1}
            aria-label="Logo file"
            accept="image/png,image/jpeg,image/webp,image/gif"
            onChange={(event) => {
              void saveLogo(event.target.files?.[0]);
              event.target.value = "";
            }}
          />
          <FieldNote>{TEXTS.logoHint}</FieldNote>
        </div>
      </div>
      {problem && (
        <FieldNote role="alert" isError>
          {problem}
        </FieldNote>
      )}
    </BrandSection>
  );
}
