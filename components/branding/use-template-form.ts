"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { showToast } from "#components/ui/toaster.tsx";
import { type ActionAnswer, callAction } from "#lib/client/api.ts";
import type { TemplateName } from "#lib/core/images.ts";
import { applyTemplateAction, removeTemplateAction } from "#lib/features/branding/actions.ts";
import { PINS_AT_ONCE } from "#lib/features/branding/constants.ts";
import type {
  AppliedWire,
  ApplyTemplateInput,
  BrandingWire,
  LeftPinWire,
  TemplatedPinWire,
} from "#lib/features/branding/schema.ts";
import { type PreviewAsked, type Previews, usePreviews } from "./previews.tsx";

/** `done`: pins that were changed; `left`: those that were looked at and stay as they are; the rest was not reached. */
type Outcome = { done: readonly string[]; left: readonly LeftPinWire[]; problem: string | null };

type Apply = {
  /** How many pins had their turn already; null while nothing goes on. */
  done: number | null;
  apply: (pinIds: readonly string[], writing: Omit<ApplyTemplateInput, "pinIds">) => Promise<Outcome>;
  remove: (pinIds: readonly string[]) => Promise<Outcome>;
  /** No further call is made; the one under way is waited for. */
  stop: () => void;
};

type Call = (some: string[]) => Promise<ActionAnswer<AppliedWire>>;

/** A template comes off every picture. */
const removeFrom: Call = async (pinIds) => {
  const answer = await removeTemplateAction({ pinIds });
  return answer.ok ? { ok: true, value: { left: [] } } : answer;
};

/** Changes pictures a few at a time, one call after the other, until all are changed, one is refused, or it is stopped. */
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
    const left: LeftPinWire[] = [];
    while (count < pinIds.length && problem === null && !isStopped.current) {
      const some = pinIds.slice(count, count + PINS_AT_ONCE);
      const answer = await callAction(call(some));
      if (answer.ok) {
        count += some.length;
        left.push(...answer.value.left);
      } else problem = answer.text;
      setDone(count);
    }
    setDone(null);
    const isLeft = new Set(left.map(({ id }) => id));
    return { done: pinIds.slice(0, count).filter((id) => !isLeft.has(id)), left, problem };
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
  /** Those that are to get the template: after some could not, only these. */
  pins: readonly TemplatedPinWire[];
  /** Index of the pin that is previewed. */
  at: number;
  showPin: (at: number) => void;
  choice: Choice;
  change: (changes: Partial<Choice>) => void;
  previews: Previews;
  isBusy: boolean;
  /** Pins that had their turn so far; null while nothing goes on. */
  done: number | null;
  /** Whether words were typed that no picture has. */
  isTyped: boolean;
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

/** So many are named; a template may be put on hundreds. */
const NAMED_MAX = 3;

/** Which pins stayed as they are, and why, in words; '' for none. */
const leftText = (left: readonly LeftPinWire[]): string => {
  if (left.length === 0) return "";
  const named = left.slice(0, NAMED_MAX).map(({ title, text }) => `“${title}”: ${text}`);
  const more = left.length > NAMED_MAX ? [`And ${left.length - NAMED_MAX} more.`] : [];
  const stays = left.length === 1 ? "One pin stays as it is" : `${left.length} pins stay as they are`;
  return `${stays}. ${[...named, ...more].join(" ")} Write other words for ${left.length === 1 ? "it" : "them"}.`;
};

/** What a run that did not reach or change all leaves. */
const problemOf = ({ done, left, problem }: Outcome, count: number): string => {
  const isShort = done.length + left.length < count;
  const rest = problem ?? (isShort ? "The others stay as they were." : "");
  const head = done.length > 0 ? `${done.length} of ${count} pictures were changed.` : "";
  return [head, leftText(left), rest].filter((part) => part !== "").join(" ");
};

/** Left empty, each pin's title is written. */
const wordsOf = ({ words }: Choice): string | null => (words.trim() === "" ? null : words);

const asAsked = ({ kit }: BrandingWire, pinId: string, choice: Choice): PreviewAsked => ({
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

/** The calls that change the pictures, and which pins are still to be changed. */
function useRuns({ branding, onClose, onDone }: TemplateFormOptions): Runs {
  const [pins, setPins] = useState<readonly TemplatedPinWire[]>(branding.pins);
  const [changed, setChanged] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const { done, apply, remove, stop } = useApply();
  const templated = pins.filter(({ template }) => template !== null);

  const end = (outcome: Outcome, count: number, said: string, onUndo?: () => void) => {
    if (outcome.done.length > 0) onDone();
    if (outcome.done.length < count) return setProblem(problemOf(outcome, count));
    showToast(said, { hasCheck: true, ...(onUndo && { onUndo }) });
    onClose();
  };

  const undo = async (ids: readonly string[]) => {
    const { problem: refusal } = await remove(ids);
    onDone();
    showToast(refusal ?? `${pinsText(ids.length)} as before`, { hasCheck: refusal === null });
  };

  const applyAll = async (choice: Choice) => {
    setProblem(null);
    const ids = pins.map(({ id }) => id);
    const outcome = await apply(ids, { ...choice, words: wordsOf(choice) });
    const all = [...changed, ...outcome.done];
    if (outcome.left.length > 0 && outcome.problem === null) {
      // What is done is done: the form goes on with those that need other words.
      setPins(pins.filter(({ id }) => !outcome.done.includes(id)));
      setChanged(all);
    }
    // A template that was there before would be gone as well: no Undo then.
    const onUndo = branding.pins.every(({ template }) => template === null) ? () => void undo(all) : undefined;
    end(outcome, ids.length, `Template on ${pinsText(all.length)}`, onUndo);
  };

  const removeAll = async () => {
    setProblem(null);
    const outcome = await remove(templated.map(({ id }) => id));
    end(outcome, templated.length, `Template off ${pinsText(templated.length)}`);
  };

  return { pins, done, problem, templatedCount: templated.length, stop, applyAll, removeAll };
}

const useChoice = (branding: BrandingWire) => {
  const [first] = useState(() => firstChoice(branding));
  const [choice, setChoice] = useState(first);
  return { choice, setChoice, isTyped: choice.words !== first.words || choice.signature !== first.signature };
};

/** State of the chooser: what is chosen, how it looks, and the calls that change the pictures. */
export function useTemplateForm(options: TemplateFormOptions): TemplateFormState {
  const { branding } = options;
  const { choice, setChoice, isTyped } = useChoice(branding);
  const [asked, setAsked] = useState(0);
  const { applyAll, removeAll, ...runs } = useRuns(options);
  // After some could not get the template, fewer are left to show.
  const at = Math.max(0, Math.min(asked, runs.pins.length - 1));
  const shown = runs.pins[at];
  const previews = usePreviews(shown ? asAsked(branding, shown.id, choice) : null, choice.template);
  // Of several with their own titles, one that cannot be written does not stand in the way of the others.
  const isEachItsOwn = wordsOf(choice) === null && runs.pins.length > 1;
  return {
    ...runs,
    at,
    showPin: setAsked,
    choice,
    change: (changes) => setChoice((before) => ({ ...before, ...changes })),
    previews,
    isTyped,
    isBusy: runs.done !== null,
    isBlocked: !isEachItsOwn && (previews.missing.length > 0 || previews.problem !== null),
    apply: () => void applyAll(choice),
    remove: () => void removeAll(),
  };
}
