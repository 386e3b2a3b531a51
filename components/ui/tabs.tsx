"use client";

import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from "react";
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
    // Places to scroll to are whole pixels.
    if (tab.right > room.right) current.scrollLeft += Math.ceil(tab.right - room.right);
    else if (tab.left < room.left) current.scrollLeft -= Math.ceil(room.left - tab.left);
  }, [list, state]);
};

const STEP_BY_KEY: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Text tabs with an accent underline. Arrow keys, Home and End move; only the chosen tab is in the tab order. */
export function Tabs<V extends string>({ label, tabs, value, onChange, panelId, className }: TabsProps<V>) {
  const list = useRef<HTMLDivElement>(null);
  // Counts make tabs wider once, when they come; as they change, the strip stays where a finger has put it.
  useChosenInView(list, `${value} ${tabs.some(({ count }) => count !== undefined)}`);

  function move(event: KeyboardEvent): void {
    const open = tabs.filter((tab) => !tab.isDisabled);
    const at = open.findIndex((tab) => tab.value === value);
    const step = STEP_BY_KEY[event.key];
    let target = step === undefined ? undefined : open[(at + step + open.length) % open.length];
    if (event.key === "Home") target = open[0];
    if (event.key === "End") target = open.at(-1);
    if (!target) return;
    event.preventDefault();
    onChange(target.value);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(tabId(panelId, target.value))}`)?.focus();
  }

  return (
    <div ref={list} role="tablist" aria-label={label} className={cn("tabs", className)} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          id={tabId(panelId, tab.value)}
          type="button"
          role="tab"
          className="tab"
          aria-selected={tab.value === value}
          aria-controls={panelId}
          tabIndex={tab.value === value ? 0 : -1}
          disabled={tab.isDisabled}
          onClick={() => onChange(tab.value)}
        >
          {tab.label}
          {tab.count !== undefined && <span className="tab-count">{tab.count.toLocaleString("en")}</span>}
        </button>
      ))}
    </div>
  );
}
