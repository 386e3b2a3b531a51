"use client";

import ArrowLeft from "lucide-react/icons/arrow-left";
import ArrowRight from "lucide-react/icons/arrow-right";
import { type RefObject, useEffect, useId, useMemo, useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { LABEL } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useFormDialog, useReportDirty } from "#components/ui/use-form-dialog.ts";
import { TEMPLATE_NAMES, type TemplateName } from "#lib/core/images.ts";
import { IMAGE_TEXT_MAX, SIGNATURE_MAX, TEMPLATES } from "#lib/features/branding/constants.ts";
import type { BrandingWire } from "#lib/features/branding/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { PreviewPane, type Previews, useBranding } from "./previews.tsx";
import { useTemplateForm } from "./use-template-form.ts";

type TemplateRowProps = {
  value: TemplateName;
  small: Previews["small"];
  isGenerating: boolean;
  disabled?: boolean;
  onChange: (template: TemplateName) => void;
};

/** The templates as a radio group of small previews. */
function TemplateRow({ value, small, isGenerating, disabled, onChange }: TemplateRowProps) {
  const name = useId();
  return (
    <fieldset disabled={disabled} aria-busy={isGenerating}>
      <legend className={cn(LABEL, "mb-2")}>Template</legend>
      <div className="grid grid-cols-4 gap-y-3 gap-x-2.5">
        {TEMPLATE_NAMES.map((template) => {
          const preview = small[template];
          const { label, about } = TEMPLATES[template];
          return (
            <label
              key={template}
              className={cn(
                "group/template-choice relative grid gap-1.5 justify-items-center cursor-pointer",
                "has-disabled:cursor-not-allowed has-disabled:opacity-60",
              )}
              title={about}
            >
              <input
                type="radio"
                className="sr-only"
                name={name}
                value={template}
                checked={template === value}
                onChange={() => onChange(template)}
              />
              <span
                data-slot="template-thumb"
                className={cn(
                  "grid place-items-center w-full aspect-9/12 p-1.5 rounded-[11px] bg-well",
                  "shadow-[inset_0_0_0_1px_var(--line)] overflow-hidden group-hover/template-choice:bg-hover",
                  "group-has-checked/template-choice:shadow-[inset_0_0_0_2.5px_var(--accent)]",
                  "group-has-focus-visible/template-choice:outline-[2.5px]",
                  "group-has-focus-visible/template-choice:outline-solid",
                  "group-has-focus-visible/template-choice:outline-focus",
                  "group-has-focus-visible/template-choice:outline-offset-3",
                  "[&_img]:size-auto [&_img]:max-w-full [&_img]:max-h-full [&_img]:min-h-0 [&_img]:rounded-[5px]",
                )}
              >
                {preview && (
                  // biome-ignore lint/performance/noImgElement: a data URL
                  <img src={preview.image} alt="" width={240} height={373} />
                )}
              </span>
              <span
                className={cn(
                  "text-xs/[1.3] text-ink-2",
                  "group-has-checked/template-choice:font-semibold group-has-checked/template-choice:text-ink",
                )}
              >
                {label}
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

type TemplateFormProps = {
  branding: BrandingWire;
  dirtyRef: RefObject<boolean>;
  /** Receives the number of pins in the form, and null when it unmounts. */
  onCount: (count: number | null) => void;
  onClose: () => void;
  onDone: () => void;
};

type StepProps = { at: number; count: number; onStep: (at: number) => void };

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

function TemplateForm({ branding, dirtyRef, onCount, onClose, onDone }: TemplateFormProps) {
  const { kit, username } = branding;
  const form = useTemplateForm({ branding, onClose, onDone });
  const { choice, previews, isBusy, done, pins } = form;
  useReportDirty(dirtyRef, form.isTyped);
  const count = pins.length;
  useEffect(() => {
    onCount(count);
    return () => onCount(null);
  }, [count, onCount]);
  const isOne = count === 1;
  return (
    <div
      className={cn(
        "grid grid-cols-[minmax(0,330px)_minmax(0,1fr)] gap-7.5 items-start mt-5.5",
        "max-md:grid-cols-1 max-md:gap-5.5",
      )}
    >
      <PreviewPane previews={previews}>
        <PinStep at={form.at} count={count} onStep={form.showPin} />
      </PreviewPane>
      <div className="grid min-w-0 content-start gap-5">
        <TemplateRow
          value={choice.template}
          small={previews.small}
          isGenerating={previews.isGenerating}
          disabled={isBusy}
          onChange={(template) => form.change({ template })}
        />
        <TextField
          label="Text"
          value={choice.words}
          maxLength={IMAGE_TEXT_MAX}
          disabled={isBusy}
          placeholder={isOne ? pins[0]?.title : "Each pin's own title"}
          hint={isOne ? "Leave empty to use the title." : "Leave empty to use each pin's title."}
          onChange={(event) => form.change({ words: event.target.value })}
        />
        <TextField
          label="Signature"
          value={choice.signature}
          maxLength={SIGNATURE_MAX}
          disabled={isBusy}
          placeholder={username}
          hint="Your name or website. Optional."
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
            Edit colors, fonts, and logo
          </a>
        </div>
        {form.problem && (
          <Banner tone="failed" isAnnounced>
            {form.problem}
          </Banner>
        )}
        {done !== null && count > 1 && (
          <p role="status" className="num text-sm text-ink-2">
            {done} of {count} images
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
            {isOne ? "Apply template" : `Apply to ${count} pins`}
          </Button>
        </DialogActions>
      </div>
    </div>
  );
}

type TemplateDialogProps = {
  isOpen: boolean;
  /** Pins of one account. Only images of drafts and failed pins are changed. */
  pins: readonly PinWire[];
  onClose: () => void;
  /** Called when at least one image has changed. */
  onDone: () => void;
  /** The element to focus on close when the opener disappears too. */
  focusAfter?: () => HTMLElement | null;
};

const isChangeable = ({ status, format, may_be_published }: PinWire): boolean =>
  (status === "draft" || status === "failed") && format === "image" && !may_be_published;

function Waiting() {
  return (
    <div
      className={cn(
        "grid grid-cols-[minmax(0,330px)_minmax(0,1fr)] gap-7.5 items-start mt-5.5",
        "max-md:grid-cols-1 max-md:gap-5.5",
      )}
      aria-busy="true"
    >
      <Skeleton className="aspect-9/14 w-full" />
      <div className="grid content-start gap-4">
        <Skeleton className="h-64 w-full" />
        <Skeleton className="h-11 w-full" />
        <Skeleton className="h-11 w-full" />
      </div>
    </div>
  );
}

/** Applies a template to the images of pins, with live previews, or removes templates. */
export function TemplateDialog({ isOpen, pins, onClose, onDone, focusAfter }: TemplateDialogProps) {
  const changeable = useMemo(() => pins.filter(isChangeable), [pins]);
  const ids = useMemo(() => changeable.map(({ id }) => id), [changeable]);
  const accountId = changeable[0]?.account_id ?? null;
  const { data, problem, reload } = useBranding(isOpen ? accountId : null, ids);
  // After a partial run the form continues with the remaining pins.
  const [inForm, setInForm] = useState<number | null>(null);
  const count = inForm ?? changeable.length;
  const skipped = pins.length - changeable.length;
  const { guard, dirtyRef } = useFormDialog(isOpen, onClose);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={guard.leave}
      title={pins.length === 1 ? "Template" : `Template for ${count} ${count === 1 ? "pin" : "pins"}`}
      description={
        skipped > 0
          ? `${skipped} ${skipped === 1 ? "pin" : "pins"} won't change. Templates only work on images of drafts and failed pins.`
          : "Add text to your images for free. The originals are kept, so you can change or remove the template later."
      }
      focusAfter={focusAfter}
      hasCloseButton
      width="2xl"
    >
      {changeable.length === 0 && (
        <Banner className="mt-5">Templates only work on images of drafts and failed pins.</Banner>
      )}
      {problem !== null && (
        <Banner
          tone="failed"
          isAnnounced
          className="mt-5"
          action={
            <Button size="sm" onClick={reload}>
              Try again
            </Button>
          }
        >
          {problem}
        </Banner>
      )}
      {changeable.length > 0 && problem === null && !data && <Waiting />}
      {data && data.pins.length > 0 && (
        <TemplateForm
          key={ids.join(" ")}
          branding={data}
          dirtyRef={dirtyRef}
          onCount={setInForm}
          onClose={onClose}
          onDone={onDone}
        />
      )}
      {data && changeable.length > 0 && data.pins.length === 0 && (
        <Banner className="mt-5">These pins no longer exist.</Banner>
      )}
      <DiscardDialog guard={guard}>The text you typed hasn't been applied to an image yet.</DiscardDialog>
    </Dialog>
  );
}
