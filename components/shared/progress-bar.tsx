import { cn } from "#components/ui/cn.ts";

type ProgressBarProps = {
  label: string;
  value: number;
  max?: number;
  className?: string;
};

export function ProgressBar({ label, value, max = 100, className }: ProgressBarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={max}
      className={cn("h-1.5 overflow-hidden rounded-[3px] bg-well shadow-[inset_0_0_0_1px_var(--line)]", className)}
    >
      <i
        className="block h-full rounded-[3px] bg-accent transition-[width] duration-(--dur-panel) ease-out"
        style={{ width: `${(value / max) * 100}%` }}
      />
    </div>
  );
}
