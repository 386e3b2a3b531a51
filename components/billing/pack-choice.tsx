import { useId } from "react";
import { Chip } from "#components/ui/chip.tsx";
import { formatDollarsAndCents } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/numbers.ts";
import { PACK_CREDITS, type PackCredits, POPULAR_PACK } from "#lib/features/billing/constants.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { PLANS, type PlanSlug } from "#lib/features/identity/constants.ts";

const CREDITS_PER_DOT = 50;

/** One dot for each 50 credits: a size that can be seen beside a number that must be read. */
function Dots({ credits }: { credits: PackCredits }) {
  const places = Array.from({ length: credits / CREDITS_PER_DOT }, (_, place) => place);
  return (
    <>
      {places.map((place) => (
        <i key={place} />
      ))}
    </>
  );
}

type PackChoiceProps = {
  plan: PlanSlug;
  value: PackCredits | null;
  onChange: (pack: PackCredits) => void;
  isLocked: boolean;
};

/** The seven packs at the price of a plan (R-BUY-05 to R-BUY-07): a real radio group, so arrow keys work without code. */
export function PackChoice({ plan, value, onChange, isLocked }: PackChoiceProps) {
  const name = useId();
  return (
    <fieldset className="pack-choice" disabled={isLocked}>
      <legend className="sr-only">Credit packages</legend>
      {PACK_CREDITS.map((credits) => (
        <label key={credits} className="pack-row">
          <input
            type="radio"
            className="pack-radio"
            name={name}
            value={credits}
            checked={credits === value}
            onChange={() => onChange(credits)}
          />
          <span className="pack-credits">
            {formatCount(credits)}
            <span className="sr-only"> credits</span>
          </span>
          <span className="pack-dots">
            <span aria-hidden="true">
              <Dots credits={credits} />
            </span>
            {credits === POPULAR_PACK && <Chip tone="published">Popular</Chip>}
          </span>
          <span className="pack-price num">{formatDollarsAndCents(PLANS[plan].extraCreditTenthsOfCent * credits)}</span>
        </label>
      ))}
      <p className="mt-3.5 text-xs text-ink-3">
        <span className="max-md:hidden">Each dot is {CREDITS_PER_DOT} credits:</span>
        <span className="md:hidden">{CREDITS_PER_DOT} credits are</span> {CREDITS_PER_DOT / COST_CREDITS.high} high
        quality pins, or {CREDITS_PER_DOT / COST_CREDITS.standard} standard ones.
      </p>
    </fieldset>
  );
}
