"use client";

import ArrowLeft from "lucide-react/icons/arrow-left";
import ArrowRight from "lucide-react/icons/arrow-right";
import { type RefObject, useEffect } from "react";
import { PreviewPane } from "#components/branding/preview-pane.tsx";
import { TemplateRow } from "#components/branding/template-row.tsx";
import { useTemplateForm } from "#components/branding/use-template-form.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { DialogActions } from "#components/ui/dialog.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useTellTyped } from "#components/ui/use-typed-dialog.ts";
import { SIGNATURE_MAX, WORDS_MAX } from "#lib/features/branding/constants.ts";
import type { BrandingWire } from "#lib/features/branding/schema.ts";

type TemplateFormProps = {
  branding: BrandingWire;
  typed: RefObject<boolean>;
  /** Told how many pins the form is about; null once it is gone. */
  onCount: (count: number | null) => void;
  onClose: () => void;
  onDone: () => void;
};

type StepProps = { at: number; count: number; onStep: (at: number) => void };

/** Which of the pins is previewed. */
function PinStep({ at, count, onStep }: StepProps) {
  if (count < 2) return null;
  return (
    <div className="flex items-center justify-center gap-2 text-sm text-ink-2">
      <IconButton label="Previous pin" disabled={at === 0} onClick={() => onStep(at - 1)}>
        <ArrowLeft aria-hidden="true" />
      </IconButton>
      <span className="num" aria-live="polite">
        Pin {at + 1} of {count}
      </span>
      <IconButton label="Next pin" disabled={at === count - 1} onClick={() => onStep(at + 1)}>
        <ArrowRight aria-hidden="true" />
      </IconButton>
    </div>
  );
}

/** Template, words, small line and logo, beside what becomes of a pin. */
export function TemplateForm({ branding, typed, onCount, onClose, onDone }: TemplateFormProps) {
  const { kit, username } = branding;
  const form = useTemplateForm({ branding, onClose, onDone });
  const { choice, previews, isBusy, done, pins } = form;
  useTellTyped(typed, form.isTyped);
  const count = pins.length;
  useEffect(() => {
    onCount(count);
    return () => onCount(null);
  }, [count, onCount]);
  const isOne = count === 1;
  return (
    <div className="template-form">
      <PreviewPane previews={previews}>
        <PinStep at={form.at} count={count} onStep={form.showPin} />
      </PreviewPane>
      <div className="grid min-w-0 content-start gap-5">
        <TemplateRow
          value={choice.template}
          small={previews.small}
          isDrawing={previews.isDrawing}
          disabled={isBusy}
          onChange={(template) => form.change({ template })}
        />
        <TextField
          label="Words"
          value={choice.words}
          maxLength={WORDS_MAX}
          disabled={isBusy}
          placeholder={isOne ? pins[0]?.title : "Each pin's own title"}
          hint={isOne ? "Left empty, the title is written." : "Left empty, each pin gets its own title."}
          onChange={(event) => form.change({ words: event.target.value })}
        />
        <TextField
          label="Small line"
          value={choice.signature}
          maxLength={SIGNATURE_MAX}
          disabled={isBusy}
          placeholder={username}
          hint="Your name or site. May be empty."
          onChange={(event) => form.change({ signature: event.target.value })}
        />
        <div className="flex flex-wrap items-center justify-between gap-x-5 gap-y-2">
          {kit.logo_url ? (
            <Checkbox
              label="Logo"
              checked={choice.hasLogo}
              disabled={isBusy}
              onChange={(event) => form.change({ hasLogo: event.target.checked })}
            />
          ) : (
            <span className="text-sm text-ink-3">No logo yet</span>
          )}
          <a className="link text-sm" href={`/app/brand?account=${kit.account_id}`}>
            Colours, fonts and logo
          </a>
        </div>
        {form.problem && (
          <Banner tone="failed" isAnnounced>
            {form.problem}
          </Banner>
        )}
        {done !== null && count > 1 && (
          <p role="status" className="num text-sm text-ink-2">
            {done} of {count} pictures
          </p>
        )}
        <DialogActions>
          {form.templatedCount > 0 && (
            <Button variant="danger-quiet" disabled={isBusy} onClick={form.remove}>
              Remove template
            </Button>
          )}
          {isBusy && count > 1 && (
            <Button variant="quiet" onClick={form.stop}>
              Stop
            </Button>
          )}
          <Button variant="primary" isBusy={isBusy} disabled={form.isBlocked && !isBusy} onClick={form.apply}>
            {isOne ? "Use template" : `Use on ${count} pins`}
          </Button>
        </DialogActions>
      </div>
    </div>
  );
}
