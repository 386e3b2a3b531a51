"use client";

import { Tabs as Radix } from "radix-ui";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { cn } from "#components/ui/cn.ts";

type Tab<V extends string> = { value: V; label: ReactNode; count?: number; isDisabled?: boolean };

type TabsProps<V extends string> = {
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onChange: (value: V) => void;
  /** Id of the single panel below; give it `role="tabpanel"` and `aria-labelledby={tabId(...)}`. */
  panelId: string;
  className?: string;
};

const LIST = cn(
  // Without a pixel of padding the last tab would be cut off by a fraction of a pixel.
  "flex gap-1 overflow-x-auto border-b border-line pr-px [scrollbar-width:none] max-md:gap-0",
);

const TAB = cn(
  "relative flex min-h-(--h-control) items-center gap-[7px] px-3 text-ui font-medium whitespace-nowrap text-ink-3",
  "transition-[color] duration-(--dur-hover) ease-out hover:text-ink focus-visible:outline-offset-[-3px]",
  "disabled:cursor-not-allowed disabled:opacity-55",
  "aria-selected:font-semibold aria-selected:text-ink",
  "aria-selected:after:absolute aria-selected:after:inset-x-3 aria-selected:after:bottom-0 aria-selected:after:h-0.5",
  "aria-selected:after:rounded-t-[2px] aria-selected:after:bg-accent aria-selected:after:content-['']",
  // Tighter on phones, so that five tabs fit.
  "max-md:min-w-11 max-md:flex-none max-md:justify-center max-md:gap-[5px] max-md:px-2 max-md:text-sm",
  "max-md:aria-selected:after:inset-x-2",
);

/** Returns the id of a tab, for the panel's `aria-labelledby`. */
export function tabId(panelId: string, value: string): string {
  return `${panelId}-tab-${value}`;
}

/** Scrolls the selected tab into view whenever `state` changes. */
const useSelectedInView = (list: RefObject<HTMLElement | null>, state: string): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `state` determines the selected tab
  useEffect(() => {
    const { current } = list;
    const tab = current?.querySelector("[aria-selected=true]")?.getBoundingClientRect();
    if (!current || !tab) return;
    const bounds = current.getBoundingClientRect();
    // Scroll positions are whole pixels.
    if (tab.right > bounds.right) current.scrollLeft += Math.ceil(tab.right - bounds.right);
    else if (tab.left < bounds.left) current.scrollLeft -= Math.ceil(bounds.left - tab.left);
  }, [list, state]);
};

/** Text tabs with an underline. The caller renders their single panel. */
export function Tabs<V extends string>({ label, tabs, value, onChange, panelId, className }: TabsProps<V>) {
  const list = useRef<HTMLDivElement>(null);
  // Only the first counts make tabs wider; later changes keep the scroll position.
  useSelectedInView(list, `${value} ${tabs.some(({ count }) => count !== undefined)}`);
  const select = (next: string) => {
    const tab = tabs.find((candidate) => candidate.value === next);
    if (tab) onChange(tab.value);
  };
  return (
    <Radix.Root asChild value={value} onValueChange={select}>
      <Radix.List ref={list} aria-label={label} data-slot="tabs" className={cn(LIST, className)}>
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            id={tabId(panelId, tab.value)}
            aria-controls={panelId}
            disabled={tab.isDisabled}
            // When the window regains focus, so does a tab, and Radix would select it.
            onFocus={(event) => event.relatedTarget === null && event.preventDefault()}
            data-slot="tab"
            className={TAB}
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className="text-xs font-medium text-ink-3 tabular-nums">{tab.count.toLocaleString("en")}</span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
    </Radix.Root>
  );
}
