"use client";

import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import { useId, useSyncExternalStore } from "react";
import { cn } from "#components/ui/cn.ts";
import { currentTheme, onThemeChange, setTheme } from "#components/ui/theme-choice.ts";

const OPTION = cn(
  "relative grid h-[26px] w-7 place-items-center rounded-[6px] text-ink-3 hover:text-ink max-md:size-11",
  "has-focus-visible:outline-[2.5px] has-focus-visible:outline-offset-2 has-focus-visible:outline-focus",
);

const OPTIONS = [
  {
    value: "light",
    label: "Light",
    Icon: Sun,
    chosen: "in-[:root.light]:theme-chosen",
  },
  {
    value: "system",
    label: "System",
    Icon: Monitor,
    chosen: "in-[:root:not(.light,.dark)]:theme-chosen",
  },
  {
    value: "dark",
    label: "Dark",
    Icon: Moon,
    chosen: "in-[:root.dark]:theme-chosen",
  },
] as const;

/**
 * Switches between light, dark and the system's theme. Pages are cached for all visitors, so the selected option is
 * styled by the class on the root element, which is set before the first paint.
 */
export function ThemeToggle({ className }: { className?: string }) {
  const choice = useSyncExternalStore(onThemeChange, currentTheme, () => "system");
  const name = useId();
  return (
    <fieldset className={cn("inline-flex gap-0.5 rounded-[8px] border border-line-2 p-0.5", className)}>
      <legend className="sr-only">Theme</legend>
      {OPTIONS.map(({ value, label, Icon, chosen }) => (
        <label key={value} className={cn(OPTION, chosen)} title={label}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={choice === value}
            aria-label={label}
            className="absolute inset-0 appearance-none outline-none"
            onChange={() => setTheme(value)}
          />
          <Icon aria-hidden="true" size={15} strokeWidth={1.8} className="pointer-events-none relative" />
        </label>
      ))}
    </fieldset>
  );
}
