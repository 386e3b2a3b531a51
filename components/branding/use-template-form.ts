"use client";

import { useState } from "react";
import { type Outcome, useApply } from "#components/branding/use-apply.ts";
import { type PreviewAsked, type Previews, usePreviews } from "#components/branding/use-previews.ts";
import { showToast } from "#components/ui/toaster.tsx";
import type { TemplateName } from "#lib/core/picture-templates.ts";
import type { BrandingWire, TemplatedPinWire } from "#lib/features/branding/schema.ts";

type Choice = { template: TemplateName; words: string; signature: string; hasLogo: boolean };

type TemplateFormOptions = {
  branding: BrandingWire;
  /** The pin that is previewed. */
  shown: TemplatedPinWire | undefined;
  onClose: () => void;
  onDone: () => void;
};

type TemplateFormState = {
  choice: Choice;
  change: (changes: Partial<Choice>) => void;
  previews: Previews;
  isBusy: boolean;
  /** Pictures changed so far; null while nothing goes on. */
  done: number | null;
  /** Whether what is written cannot be drawn. */
  isBlocked: boolean;
  problem: string | null;
  /** Pins that have a template already. */
  templatedCount: number;
  apply: () => void;
  remove: () => void;
  stop: () => void;
};

const FIRST: TemplateName = "label";

/** What one pin has already, or what pins begin with: words of one's own only for one pin alone. */
const firstChoice = ({ pins, kit, username }: BrandingWire): Choice => {
  const [pin] = pins;
  const before = pin?.template ?? null;
  const isOne = pins.length === 1;
  return {
    template: before?.id ?? FIRST,
    words: isOne && pin && before && before.words !== pin.title ? before.words : "",
    signature: before ? before.signature : username,
    hasLogo: before ? before.hasLogo && kit.logo_url !== null : kit.logo_url !== null,
  };
};

const pinsText = (count: number): string => (count === 1 ? "1 picture" : `${count} pictures`);

/** What a call that ended early leaves, in one sentence. */
const problemOf = ({ done, problem }: Outcome, count: number): string =>
  done === 0
    ? (problem ?? "")
    : `${done} of ${count} pictures were changed. ${problem ?? "The others stay as they were."}`;

/** Left empty, each pin's title is written. */
const wordsOf = ({ words }: Choice): string | null => (words.trim() === "" ? null : words);

const asAsked = ({ kit }: BrandingWire, pinId: string, choice: Choice): PreviewAsked => ({
  accountId: kit.account_id,
  pinId,
  words: wordsOf(choice),
  signature: choice.signature,
  hasLogo: choice.hasLogo,
});

/** State of the chooser: what is chosen, how it looks, and the calls that change the pictures. */
export function useTemplateForm({ branding, shown, onClose, onDone }: TemplateFormOptions): TemplateFormState {
  const [choice, setChoice] = useState(() => firstChoice(branding));
  const [problem, setProblem] = useState<string | null>(null);
  const { done, apply, remove, stop } = useApply();
  const previews = usePreviews(shown ? asAsked(branding, shown.id, choice) : null, choice.template);
  const ids = branding.pins.map(({ id }) => id);
  const templated = branding.pins.filter(({ template }) => template !== null);

  const end = (outcome: Outcome, count: number, said: string, onUndo?: () => void) => {
    if (outcome.done > 0) onDone();
    if (outcome.done < count) return setProblem(problemOf(outcome, count));
    showToast(said, { hasCheck: true, ...(onUndo && { onUndo }) });
    onClose();
  };

  const undo = async () => {
    const { problem: refusal } = await remove(ids);
    onDone();
    showToast(refusal ?? `${pinsText(ids.length)} as before`, { hasCheck: refusal === null });
  };

  const applyAll = async () => {
    setProblem(null);
    const outcome = await apply(ids, { ...choice, words: wordsOf(choice) });
    // A template that was there before would be gone as well: no Undo then.
    const onUndo = templated.length === 0 ? () => void undo() : undefined;
    end(outcome, ids.length, `Template on ${pinsText(ids.length)}`, onUndo);
  };

  const removeAll = async () => {
    setProblem(null);
    const outcome = await remove(templated.map(({ id }) => id));
    end(outcome, templated.length, `Template off ${pinsText(templated.length)}`);
  };

  return {
    choice,
    change: (changes) => setChoice((before) => ({ ...before, ...changes })),
    previews,
    isBusy: done !== null,
    done,
    isBlocked: previews.missing.length > 0 || previews.problem !== null,
    problem,
    templatedCount: templated.length,
    apply: () => void applyAll(),
    remove: () => void removeAll(),
    stop,
  };
}
