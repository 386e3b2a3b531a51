"use client";

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { SelectionTools } from "#components/pins/selection-tools.tsx";
import type { PinActions } from "#components/pins/use-pin-actions.ts";
import type { Selection } from "#components/pins/use-selection.ts";
import { ScheduleBar, type SchedulePlan } from "#components/publishing/schedule-bar.tsx";
import type { PlanFields } from "#components/publishing/use-schedule-plan.ts";
import { showToast } from "#components/ui/toaster.tsx";

const HEIGHT = "--dock-height";

/** Lets what floats above the dock know how far up it reaches: at the end of a page it stands above the page's own foot. */
const useDockHeight = (dock: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const { current } = dock;
    if (!current) return;
    const root = document.documentElement.style;
    const tell = () => {
      const height = `${Math.round(innerHeight - current.getBoundingClientRect().top)}px`;
      // Setting it has the whole page styled anew, which nobody wants on each step of scrolling.
      if (root.getPropertyValue(HEIGHT) !== height) root.setProperty(HEIGHT, height);
    };
    const observer = new ResizeObserver(tell);
    observer.observe(current);
    observer.observe(document.body);
    window.addEventListener("scroll", tell, { passive: true });
    window.addEventListener("resize", tell);
    return () => {
      observer.disconnect();
      window.removeEventListener("scroll", tell);
      window.removeEventListener("resize", tell);
      root.removeProperty(HEIGHT);
    };
  }, [dock]);
};

/** The dock goes with the last selected draft; the focus inside it goes to the list's own tab, which stays. */
const useFocusHandedOn = (dock: RefObject<HTMLElement | null>): void => {
  useLayoutEffect(() => {
    const { current } = dock;
    return () => {
      if (!current?.contains(document.activeElement)) return;
      document.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus({ preventScroll: true });
    };
  }, [dock]);
};

type SelectionDockProps = {
  accountId: string | null;
  selection: Selection;
  actions: PinActions;
  timeZone: string;
  fields: PlanFields;
};

/**
 * What stays at the foot of the screen while drafts are selected: tools, and the schedule bar (R-SCH-01). It must be a
 * child of the whole screen: it sticks no higher than where its parent begins.
 */
export function SelectionDock({ accountId, selection, actions, timeZone, fields }: SelectionDockProps) {
  const letGo = () => {
    const { posts } = selection;
    selection.clear();
    showToast("Selection cleared", { onUndo: () => selection.restore(posts) });
  };
  const schedule = async (plan: SchedulePlan) => {
    if (await actions.schedule(plan)) fields.reset();
  };
  const dock = useRef<HTMLDivElement>(null);
  useDockHeight(dock);
  useFocusHandedOn(dock);
  return (
    <div ref={dock} className="selection-dock">
      <SelectionTools accountId={accountId} selection={selection} actions={actions} timeZone={timeZone} />
      <ScheduleBar
        posts={selection.posts}
        accountId={accountId}
        isBusy={actions.isScheduling}
        timeZone={timeZone}
        fields={fields}
        onClear={letGo}
        onSchedule={(plan) => void schedule(plan)}
      />
    </div>
  );
}
