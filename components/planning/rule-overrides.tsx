"use client";

import { type FormEvent, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { PACE_RULES, type PaceRule, REASON_MAX, TEXTS } from "#lib/features/planning/constants.ts";
import type { PlanWire } from "#lib/features/planning/schema.ts";
import { RULE_LABELS, unplacedText } from "#lib/features/planning/texts.ts";
import type { SafePlan } from "./use-safe-plan.ts";

const LINK = cn(
  "min-h-[max(32px,var(--target-min))] bg-transparent text-band-ink font-[550] underline underline-offset-3",
  "max-md:min-h-11",
);

/** How many pins each rule moved or kept out of the plan. */
const rulesOf = ({ slots, unplaced }: PlanWire): { rule: PaceRule; pins: number }[] =>
  PACE_RULES.map((rule) => ({
    rule,
    pins:
      slots.filter(({ moves }) => moves.some((move) => move.rule === rule)).length +
      unplaced.filter((one) => one.rule === rule).length,
  })).filter(({ pins }) => pins > 0);

type ReasonFormProps = { rule: PaceRule; onLeaveOut: (reason: string) => void; onCancel: () => void };

function ReasonForm({ rule, onLeaveOut, onCancel }: ReasonFormProps) {
  const id = useId();
  const [reason, setReason] = useState("");
  const [isMissing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() !== "") return onLeaveOut(reason.trim());
    setMissing(true);
    field.current?.focus();
  };
  return (
    <form className="flex flex-wrap items-center gap-2 basis-full" onSubmit={submit} noValidate>
      <label htmlFor={id} className="basis-full text-band-2">
        Why turn off “{RULE_LABELS[rule]}” for this schedule? Your reason is saved with the pins.
      </label>
      <input
        ref={field}
        id={id}
        className={cn(
          "h-10 min-w-0 flex-[1_1_16rem] rounded-[9px] border border-band-2 bg-band-raised px-2.5 text-band-ink",
          "scheme-dark max-md:h-11",
        )}
        // biome-ignore lint/a11y/noAutofocus: it appears on request, in place of the button that had the focus
        autoFocus
        maxLength={REASON_MAX}
        value={reason}
        aria-invalid={isMissing}
        aria-describedby={isMissing ? `${id}-problem` : undefined}
        onChange={({ target }) => setReason(target.value)}
      />
      <Button type="submit" size="sm" variant="band">
        Turn off
      </Button>
      <button type="button" className={LINK} onClick={onCancel}>
        Cancel
      </button>
      {isMissing && (
        <p id={`${id}-problem`} role="alert" className="basis-full text-(--brick-300)">
          {TEXTS.reasonNeeded}
        </p>
      )}
    </form>
  );
}

/** Which rules moved pins of a plan; each can be left out of this plan with a reason. */
export function RuleOverrides({ plan }: { plan: SafePlan }) {
  const [opened, setOpened] = useState<PaceRule | null>(null);
  const list = useRef<HTMLUListElement>(null);
  /** The button that had the focus disappears, so it moves to the rule's next one. */
  const change = (rule: PaceRule, update: () => void) => {
    flushSync(update);
    [...(list.current?.querySelectorAll<HTMLElement>(`[data-rule=${rule}] button`) ?? [])].at(-1)?.focus();
  };
  const moved = plan.data ? rulesOf(plan.data) : [];
  const unplaced = plan.data?.unplaced.length ?? 0;
  if (moved.length + plan.leftOut.length + unplaced === 0) return null;
  return (
    <div data-slot="rule-overrides" className="col-span-full grid gap-1">
      {unplaced > 0 && <p className="text-(--straw-300)">{unplacedText(unplaced)}</p>}
      <ul ref={list} className="flex flex-wrap items-center gap-x-5 gap-y-1" aria-label="Rules in this plan">
        {moved.map(({ rule, pins }) => (
          <li
            key={rule}
            data-rule={rule}
            className={cn("flex flex-wrap items-center gap-x-2 num", opened === rule && "basis-full")}
          >
            <span className="text-band-2">
              “{RULE_LABELS[rule]}” moved {pins} {pins === 1 ? "pin" : "pins"}
            </span>
            {opened === rule ? (
              <ReasonForm
                rule={rule}
                onCancel={() => change(rule, () => setOpened(null))}
                onLeaveOut={(reason) =>
                  change(rule, () => {
                    setOpened(null);
                    plan.leaveOut({ rule, reason });
                  })
                }
              />
            ) : (
              <button
                type="button"
                className={LINK}
                aria-label={`Turn off “${RULE_LABELS[rule]}” for this schedule`}
                onClick={() => setOpened(rule)}
              >
                Turn off
              </button>
            )}
          </li>
        ))}
        {plan.leftOut.map(({ rule, reason }) => (
          <li key={rule} data-rule={rule} className="flex flex-wrap items-center gap-x-2">
            <span className="text-(--straw-300) wrap-anywhere">
              “{RULE_LABELS[rule]}” turned off: {reason}
            </span>
            <button
              type="button"
              className={LINK}
              aria-label={`Use “${RULE_LABELS[rule]}” again`}
              onClick={() => plan.takeBack(rule)}
            >
              Use again
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
