import { cn } from "#components/ui/cn.ts";

type KbdProps = { keys: readonly string[]; className?: string };

/** Keyboard keys, pressed together or in sequence. */
export function Kbd({ keys, className }: KbdProps) {
  return (
    <span className={cn("inline-flex gap-[3px]", className)}>
      {keys.map((key) => (
        <kbd
          key={key}
          className={cn(
            "grid place-items-center min-w-5.5 h-5.5 py-0 px-[5px] rounded-tag bg-well font-sans",
            "text-micro/none font-medium text-ink-2 border border-line-2",
          )}
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
