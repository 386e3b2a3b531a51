"use client";

import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import { useId, useSyncExternalStore } from "react";
import { cn } from "#components/ui/cn.ts";
import { chooseTheme, onThemeChange, wornTheme } from "#components/ui/theme-choice.ts";

const OPTIONS = [
  { value: "light", label: "Light", Icon: Sun },
  { value: "system", label: "As the device", Icon: Monitor },
  { value: "dark", label: "Dark", Icon: Moon },
] as const;

/**
 * Light, dark, or as the device says. Pages are the same for everybody, so the server paints no choice: the style of
 * the chosen one hangs on the document's class, which stands before the first paint.
 */
export function ThemeToggle({ className }: { className?: string }) {
  const choice = useSyncExternalStore(onThemeChange, wornTheme, () => "system");
  const name = useId();
  return (
    <fieldset className={cn("theme-toggle", className)}>
      <legend className="sr-only">Theme</legend>
      {OPTIONS.map(({ value, label, Icon }) => (
        <label key={value} className={`theme-option theme-option-${value}`} title={label}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={choice === value}
            aria-label={label}
            onChange={() => chooseTheme(value)}
          />
          <Icon aria-hidden="true" size={15} strokeWidth={1.8} />
        </label>
      ))}
    </fieldset>
  );
}
