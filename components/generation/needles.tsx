import { cn } from "#components/ui/cn.ts";
import type { StripBar } from "#lib/features/generation/policy.ts";

/** The strip of up to ten needles: how far each task is, or each tenth of many (R-TRK-09, R-TRK-10). */
export function Needles({ bars }: { bars: readonly StripBar[] }) {
  return (
    <div className="needles" role="img" aria-label={bars.map(({ label }) => label).join("; ")}>
      {bars.map((bar) => (
        <span key={bar.key} className={cn("needle", `needle-${bar.tone}`)} title={bar.label}>
          <i style={{ height: `${bar.percent}%` }} />
        </span>
      ))}
    </div>
  );
}
