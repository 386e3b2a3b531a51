import { cn } from "#components/ui/cn.ts";

type SettingsFactsProps = {
  /** Name and value of each, in their order. */
  facts: readonly (readonly [label: string, value: string])[];
  className?: string;
};

/** Facts by their names, as Settings and its dialogs show them. */
export function SettingsFacts({ facts, className }: SettingsFactsProps) {
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
