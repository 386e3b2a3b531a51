"use client";

import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { readPlanNotesAction } from "#lib/features/planning/actions.ts";
import { RULE_LABELS } from "#lib/features/planning/texts.ts";

/** The rules that were left out of a scheduled pin's plan, with their reasons. Nothing without any. */
export function PlanNotes({ pinId }: { pinId: string }) {
  const { data } = useApiQuery(queryKeys.planNotes(pinId), () => actionValue(readPlanNotesAction({ pinId })));
  if (!data || data.length === 0) return null;
  return (
    <ul className="grid gap-1 text-xs/[1.5] text-ink-3" aria-label="Rules turned off for this pin">
      {data.map(({ rule, reason }) => (
        <li key={rule} className="wrap-anywhere">
          “{RULE_LABELS[rule]}” turned off: {reason}
        </li>
      ))}
    </ul>
  );
}
