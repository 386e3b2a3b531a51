"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { showToast } from "#components/ui/toaster.tsx";
import { type ActionResult, callAction } from "#lib/client/api.ts";
import type { TemplateName } from "#lib/core/images.ts";
import { applyTemplateAction, removeTemplateAction } from "#lib/features/branding/actions.ts";
import { PINS_PER_REQUEST_MAX } from "#lib/features/branding/constants.ts";
import type {
  AppliedWire,
  ApplyTemplateInput,
  BrandingWire,
  SkippedPinWire,
  TemplatedPinWire,
} from "#lib/features/branding/schema.ts";
import { type PreviewRequest, type Previews, usePreviews } from "./previews.tsx";

/** `done` were changed and `skipped` were not; the run did not reach any other pins. */
type Outcome = { done: readonly string[]; skipped: readonly SkippedPinWire[]; problem: string | null };

type Apply = {
  /** Pins processed so far; null while nothing runs. */
  done: number | null;
  apply: (pinIds: readonly string[], writing: Omit<ApplyTemplateInput, "pinIds">) => Promise<Outcome>;
  remove: (pinIds: readonly string[]) => Promise<Outcome>;
  /** Stops after the current request. */
  stop: () => void;
};

type Call = (some: string[]) => Promise<ActionResult<AppliedWire>>;

const removeFrom: Call = async (pinIds) => {
  const answer = await removeTemplateAction({ pinIds });
  return answer.ok ? { ok: true, value: { skipped: [] } } : answer;
};

/** Changes images in batches, until all are done, a batch fails, or the user stops. */
function useApply(): Apply {
  const [done, setDone] = useState<number | null>(null);
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );

  const run = useCallback(async (pinIds: readonly string[], call: Call): Promise<Outcome> => {
    isStopped.current = false;
    setDone(0);
    let count = 0;
    let problem: string | null = null;
    const skipped: SkippedPinWire[] = [];
    while (count < pinIds.length && problem === null && !isStopped.current) {
      const some = pinIds.slice(count, count + PINS_PER_REQUEST_MAX);
      const answer = await callAction(call(some));
      if (answer.ok) {
        count += some.length;
        skipped.push(...answer.value.skipped);
      } else problem = answer.text;
      setDone(count);
    }
    setDone(null);
    const isSkipped = new Set(skipped.map(({ id }) => id));
    return { done: pinIds.slice(0, count).filter((id) => !isSkipped.has(id)), skipped, problem };
  }, []);

  return {
    done,
    apply: (pinIds, writing) => run(pinIds, (some) => applyTemplateAction({ ...writing, pinIds: some })),
    remove: (pinIds) => run(pinIds, removeFrom),
    stop: () => {
      isStopped.current = true;
    },
  };
}

type Choice = { template: TemplateName; words: string; signature: string; hasLogo: boolean };

type TemplateFormOptions = {
  branding: BrandingWire;
  onClose: () => void;
  onDone: () => void;
};

type TemplateFormState = {
  /** The pins to change; after a partial run only the skipped ones. */
  pins: readonly TemplatedPinWire[];
  /** Index of the pin that is previewed. */
  at: number;
  showPin: (at: number) => void;
  choice: Choice;
  change: (changes: Partial<Choice>) => void;
  previews: Previews;
  isBusy: boolean;
  /** Pins processed so far; null while nothing runs. */
  done: number | null;
  /** Whether there is typed text that was not applied. */
  isTyped: boolean;
  /** Whether the text cannot be drawn. */
  isBlocked: boolean;
  problem: string | null;
  templatedCount: number;
  apply: () => void;
  remove: () => void;
  stop: () => void;
};

const FIRST: TemplateName = "label";

/** Starts with the first pin's template. Custom text is kept only for a single pin. */
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

const imagesText = (count: number): string => (count === 1 ? "1 image" : `${count} images`);

/** Pins named in a message; there may be hundreds. */
const NAMED_MAX = 3;

const skippedText = (skipped: readonly SkippedPinWire[]): string => {
  if (skipped.length === 0) return "";
  const named = skipped.slice(0, NAMED_MAX).map(({ title, text }) => `“${title}”: ${text}`);
  const more = skipped.length > NAMED_MAX ? [`And ${skipped.length - NAMED_MAX} more.`] : [];
  const head = skipped.length === 1 ? "One pin was skipped" : `${skipped.length} pins were skipped`;
  return `${head}. ${[...named, ...more].join(" ")} Enter different text for ${skipped.length === 1 ? "it" : "them"}.`;
};

const problemText = ({ done, skipped, problem }: Outcome, count: number): string => {
  const isShort = done.length + skipped.length < count;
  const rest = problem ?? (isShort ? "The others weren't changed." : "");
  const head = done.length > 0 ? `${done.length} of ${count} images were changed.` : "";
  return [head, skippedText(skipped), rest].filter((part) => part !== "").join(" ");
};

/** Null uses each pin's title. */
const wordsOf = ({ words }: Choice): string | null => (words.trim() === "" ? null : words);

const toPreviewRequest = ({ kit }: BrandingWire, pinId: string, choice: Choice): PreviewRequest => ({
  accountId: kit.account_id,
  pinId,
  words: wordsOf(choice),
  signature: choice.signature,
  hasLogo: choice.hasLogo,
});

type Runs = Pick<TemplateFormState, "pins" | "done" | "problem" | "templatedCount" | "stop"> & {
  applyAll: (choice: Choice) => Promise<void>;
  removeAll: () => Promise<void>;
};

function useRuns({ branding, onClose, onDone }: TemplateFormOptions): Runs {
  const [pins, setPins] = useState<readonly TemplatedPinWire[]>(branding.pins);
  const [changed, setChanged] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const { done, apply, remove, stop } = useApply();
  const templated = pins.filter(({ template }) => template !== null);

  const end = (outcome: Outcome, count: number, successText: string, onUndo?: () => void) => {
    if (outcome.done.length > 0) onDone();
    if (outcome.done.length < count) return setProblem(problemText(outcome, count));
    showToast(successText, { hasCheck: true, ...(onUndo && { onUndo }) });
    onClose();
  };

  const undo = async (ids: readonly string[]) => {
    const { problem: refusal } = await remove(ids);
    onDone();
    showToast(refusal ?? `${imagesText(ids.length)} restored`, { hasCheck: refusal === null });
  };

  const applyAll = async (choice: Choice) => {
    setProblem(null);
    const ids = pins.map(({ id }) => id);
    const outcome = await apply(ids, { ...choice, words: wordsOf(choice) });
    const all = [...changed, ...outcome.done];
    if (outcome.skipped.length > 0 && outcome.problem === null) {
      // The form continues with the pins that need different text.
      setPins(pins.filter(({ id }) => !outcome.done.includes(id)));
      setChanged(all);
    }
    // Undo would also remove earlier templates, so it is offered only if there were none.
    const onUndo = branding.pins.every(({ template }) => template === null) ? () => void undo(all) : undefined;
    end(outcome, ids.length, `Template applied to ${imagesText(all.length)}`, onUndo);
  };

  const removeAll = async () => {
    setProblem(null);
    const outcome = await remove(templated.map(({ id }) => id));
    end(outcome, templated.length, `Template removed from ${imagesText(templated.length)}`);
  };

  return { pins, done, problem, templatedCount: templated.length, stop, applyAll, removeAll };
}

const useChoice = (branding: BrandingWire) => {
  const [first] = useState(() => firstChoice(branding));
  const [choice, setChoice] = useState(first);
  return { choice, setChoice, isTyped: choice.words !== first.words || choice.signature !== first.signature };
};

export function useTemplateForm(options: TemplateFormOptions): TemplateFormState {
  const { branding } = options;
  const { choice, setChoice, isTyped } = useChoice(branding);
  const [requestedIndex, setRequestedIndex] = useState(0);
  const { applyAll, removeAll, ...runs } = useRuns(options);
  // After a partial run fewer pins remain.
  const at = Math.max(0, Math.min(requestedIndex, runs.pins.length - 1));
  const shown = runs.pins[at];
  const previews = usePreviews(shown ? toPreviewRequest(branding, shown.id, choice) : null, choice.template);
  // Among several pins with their own titles, one unsupported title does not block the others.
  const usesOwnTitles = wordsOf(choice) === null && runs.pins.length > 1;
  return {
    ...runs,
    at,
    showPin: setRequestedIndex,
    choice,
    change: (changes) => setChoice((before) => ({ ...before, ...changes })),
    previews,
    isTyped,
    isBusy: runs.done !== null,
    isBlocked: !usesOwnTitles && (previews.missing.length > 0 || previews.problem !== null),
    apply: () => void applyAll(choice),
    remove: () => void removeAll(),
  };
}
