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
import { useTellTyped, useTypedDialog } from "#components/ui/use-typed-dialog.ts";
import { TEMPLATE_NAMES, type TemplateName } from "#lib/core/images.ts";
import { SIGNATURE_MAX, TEMPLATES, WORDS_MAX } from "#lib/features/branding/constants.ts";
import type { BrandingWire } from "#lib/features/branding/schema.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { PreviewPane, type Previews, useBranding } from "./previews.tsx";
import { useTemplateForm } from "./use-template-form.ts";

type TemplateRowProps = {
  value: TemplateName;
  small: Previews["small"];
  isDrawing: boolean;
  disabled?: boolean;
  onChange: (template: TemplateName) => void;
};

/** The eight templates as small pictures of the pin: a radio group, so that arrow keys choose. */
function TemplateRow({ value, small, isDrawing, disabled, onChange }: TemplateRowProps) {
  const name = useId();
  return (
    <fieldset disabled={disabled} aria-busy={isDrawing}>
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
                  // biome-ignore lint/performance/noImgElement: a data address, drawn for this moment
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
function TemplateForm({ branding, typed, onCount, onClose, onDone }: TemplateFormProps) {
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

type TemplateDialogProps = {
  isOpen: boolean;
  /** Pins of one account. Drafts and failed ones are changed; others are counted and stay as they are. */
  posts: readonly PostWire[];
  onClose: () => void;
  /** After pictures changed, also when only some did: the list is to be read again. */
  onDone: () => void;
  /** What gets the focus on closing where the opener goes as well. */
  focusAfter?: () => HTMLElement | null;
};

/** Nothing is on its way to Pinterest, and it is not perhaps there already. */
const isChangeable = ({ status, may_be_published }: PostWire): boolean =>
  (status === "draft" || status === "failed") && !may_be_published;

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

/** Chooses a template for the pictures of one pin or many, with live previews; takes templates off as well. */
export function TemplateDialog({ isOpen, posts, onClose, onDone, focusAfter }: TemplateDialogProps) {
  const pins = useMemo(() => posts.filter(isChangeable), [posts]);
  const ids = useMemo(() => pins.map(({ id }) => id), [pins]);
  const accountId = pins[0]?.account_id ?? null;
  const { data, problem, reload } = useBranding(isOpen ? accountId : null, ids);
  // The form may go on with fewer: those that have got their template need none.
  const [inForm, setInForm] = useState<number | null>(null);
  const count = inForm ?? pins.length;
  const left = posts.length - pins.length;
  const { guard, typed } = useTypedDialog(isOpen, onClose);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={guard.leave}
      title={posts.length === 1 ? "Template" : `Template for ${count} ${count === 1 ? "pin" : "pins"}`}
      description={
        left > 0
          ? `${left} ${left === 1 ? "pin is" : "pins are"} scheduled or published and ${left === 1 ? "stays as it is" : "stay as they are"}.`
          : "Words on the picture, for no credits. The picture below is kept: change or remove the template later."
      }
      focusAfter={focusAfter}
      hasCloseButton
      width="2xl"
    >
      {pins.length === 0 && <Banner className="mt-5">Only drafts and failed pins can get a template.</Banner>}
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
      {pins.length > 0 && problem === null && !data && <Waiting />}
      {data && data.pins.length > 0 && (
        <TemplateForm
          key={ids.join(" ")}
          branding={data}
          typed={typed}
          onCount={setInForm}
          onClose={onClose}
          onDone={onDone}
        />
      )}
      {data && pins.length > 0 && data.pins.length === 0 && (
        <Banner className="mt-5">These pins are no longer there.</Banner>
      )}
      <DiscardDialog guard={guard}>The words you typed are on no picture yet.</DiscardDialog>
    </Dialog>
  );
}
