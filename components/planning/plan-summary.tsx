import Link from "next/link";
import { zoneLabel } from "#components/shared/time-zone-options.tsx";
import type { PlanWire } from "#lib/features/planning/schema.ts";
import { paceText } from "#lib/features/planning/texts.ts";

const PRESET_TEXTS = { gentle: "Gentle pace", steady: "Steady pace", brisk: "Brisk pace" } as const;

type PlanSummaryProps = { plan: PlanWire | null; problem: string | null };

/** The pace of a plan in one sentence. */
export function PlanSummary({ plan, problem }: PlanSummaryProps) {
  if (problem) return <p className="text-(--straw-300)">{problem}</p>;
  if (!plan) return <p className="text-band-2">Planning…</p>;
  const name = plan.preset ? PRESET_TEXTS[plan.preset] : "Your pace";
  return (
    <p data-slot="plan-summary" className="text-band-2 num">
      <b className="font-semibold text-band-ink">{name}</b>: {paceText(plan.numbers)} ({zoneLabel(plan.time_zone)}).{" "}
      <Link className="text-band-ink underline underline-offset-3" href="/app/settings#pace">
        Change the pace
      </Link>
    </p>
  );
}
