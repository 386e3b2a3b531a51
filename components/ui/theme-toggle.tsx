"use client";

import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import { useId, useSyncExternalStore } from "react";
import { cn } from "#components/ui/cn.ts";
import { chooseTheme, onThemeChange, wornTheme } from "#components/ui/theme-choice.ts";

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
    label: "As the device",
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
 * Light, dark, or as the device says. Pages are cached for everybody, so the server renders no choice: the chosen
 * option is styled by the class on the document's root, which is set before the first paint.
 */
export function ThemeToggle({ className }: { className?: string }) {
  const choice = useSyncExternalStore(onThemeChange, wornTheme, () => "system");
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
            onChange={() => chooseTheme(value)}
          />
          <Icon aria-hidden="true" size={15} strokeWidth={1.8} className="pointer-events-none relative" />
        </label>
      ))}
    </fieldset>
  );
}
