import { cn } from "#components/ui/cn.ts";

type KbdProps = { keys: readonly string[]; className?: string };

/** Keys as they are printed on a keyboard: pressed together, or one after the other. */
export function Kbd({ keys, className }: KbdProps) {
  return (
    <span className={cn("kbd-row", className)}>
      {keys.map((key) => (
        <kbd key={key} className="kbd">
          {key}
        </kbd>
      ))}
    </span>
  );
}
