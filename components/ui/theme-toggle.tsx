"use client";

import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import { useId, useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { THEME_COOKIE, type ThemeChoice } from "#components/ui/theme-choice.ts";

const OPTIONS = [
  { value: "light", label: "Light", Icon: Sun },
  { value: "system", label: "As the device", Icon: Monitor },
  { value: "dark", label: "Dark", Icon: Moon },
] as const;

const YEAR_SECONDS = 365 * 24 * 60 * 60;

function apply(choice: ThemeChoice): void {
  const root = document.documentElement;
  root.classList.toggle("light", choice === "light");
  root.classList.toggle("dark", choice === "dark");
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we support
  document.cookie = `${THEME_COOKIE}=${choice}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
}

/** Light, dark, or as the device says. Kept in a cookie, so the server paints it right the next time. */
export function ThemeToggle({ initial, className }: { initial: ThemeChoice; className?: string }) {
  const [choice, setChoice] = useState(initial);
  const name = useId();
  return (
    <fieldset className={cn("theme-toggle", className)}>
      <legend className="sr-only">Theme</legend>
      {OPTIONS.map(({ value, label, Icon }) => (
        <label key={value} className="theme-option" title={label}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={choice === value}
            aria-label={label}
            onChange={() => {
              setChoice(value);
              apply(value);
            }}
          />
          <Icon aria-hidden="true" size={15} strokeWidth={1.8} />
        </label>
      ))}
    </fieldset>
  );
}
