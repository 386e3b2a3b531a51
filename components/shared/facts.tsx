import { cn } from "#components/ui/cn.ts";

type SettingsFactsProps = {
  /** Name and value of each, in their order. */
  facts: readonly (readonly [label: string, value: string])[];
  className?: string;
};

/** Facts by their names, as Settings and its dialogs show them. */
export function SettingsFacts({ facts, className }: SettingsFactsProps) {
  return (
    <dl className={cn("settings-facts", className)}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
