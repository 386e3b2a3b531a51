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
  /** Id of the one panel below that the tabs fill; give it `role="tabpanel"` and `aria-labelledby={tabId(...)}`. */
  panelId: string;
  className?: string;
};

const LIST = cn(
  // Without the pixel at the right end, the last tab would lose part of a pixel when scrolled.
  "flex gap-1 overflow-x-auto border-b border-line pr-px [scrollbar-width:none] max-md:gap-0",
);

const TAB = cn(
  "relative flex min-h-(--h-control) items-center gap-[7px] px-3 text-ui font-medium whitespace-nowrap text-ink-3",
  "transition-[color] duration-(--dur-hover) ease-out hover:text-ink focus-visible:outline-offset-[-3px]",
  "disabled:cursor-not-allowed disabled:opacity-55",
  "aria-selected:font-semibold aria-selected:text-ink",
  "aria-selected:after:absolute aria-selected:after:inset-x-3 aria-selected:after:bottom-0 aria-selected:after:h-0.5",
  "aria-selected:after:rounded-t-[2px] aria-selected:after:bg-accent aria-selected:after:content-['']",
  // Closer on phones, so that five of them are in view.
  "max-md:min-w-11 max-md:flex-none max-md:justify-center max-md:gap-[5px] max-md:px-2 max-md:text-sm",
  "max-md:aria-selected:after:inset-x-2",
);

/** The id of a tab, for the panel's `aria-labelledby`. */
export function tabId(panelId: string, value: string): string {
  return `${panelId}-tab-${value}`;
}

/** Where there are more tabs than room, the chosen one comes into view whenever `state` changes. */
const useChosenInView = (list: RefObject<HTMLElement | null>, state: string): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: which tab is chosen follows from it
  useEffect(() => {
    const { current } = list;
    const tab = current?.querySelector("[aria-selected=true]")?.getBoundingClientRect();
    if (!current || !tab) return;
    const room = current.getBoundingClientRect();
    // Scroll positions are whole pixels.
    if (tab.right > room.right) current.scrollLeft += Math.ceil(tab.right - room.right);
    else if (tab.left < room.left) current.scrollLeft -= Math.ceil(room.left - tab.left);
  }, [list, state]);
};

/** Text tabs with an accent underline. They fill one panel that the screen itself renders. */
export function Tabs<V extends string>({ label, tabs, value, onChange, panelId, className }: TabsProps<V>) {
  const list = useRef<HTMLDivElement>(null);
  // Counts make tabs wider once, when they come; later changes leave the scroll position alone.
  useChosenInView(list, `${value} ${tabs.some(({ count }) => count !== undefined)}`);
  const choose = (next: string) => {
    const tab = tabs.find((one) => one.value === next);
    if (tab) onChange(tab.value);
  };
  return (
    <Radix.Root asChild value={value} onValueChange={choose}>
      <Radix.List ref={list} aria-label={label} data-slot="tabs" className={cn(LIST, className)}>
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            id={tabId(panelId, tab.value)}
            aria-controls={panelId}
            disabled={tab.isDisabled}
            // A window that comes back gives its focus back too: Radix would choose the tab that gets it.
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
