import { cn } from "#components/ui/cn.ts";

type DetailListProps = {
  facts: readonly (readonly [label: string, value: string])[];
  className?: string;
};

/** Labels and values in two columns, as used in Settings. */
export function DetailList({ facts, className }: DetailListProps) {
  return (
    <dl className={cn("grid grid-cols-2 gap-x-6 gap-y-4", className)}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt className="text-xs/[1.4] text-ink-3">{label}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
