"use client";

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { SelectionTools } from "#components/pins/selection-tools.tsx";
import type { PinActions } from "#components/pins/use-pin-actions.ts";
import type { Selection } from "#components/pins/use-selection.ts";
import { ScheduleBar } from "#components/publishing/schedule-bar.tsx";
import { showToast } from "#components/ui/toaster.tsx";

const HEIGHT = "--dock-height";

/** Lets what floats above the dock know how high it is. */
const useDockHeight = (dock: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const { current } = dock;
    if (!current) return;
    const root = document.documentElement.style;
    const observer = new ResizeObserver(() => root.setProperty(HEIGHT, `${current.offsetHeight}px`));
    observer.observe(current);
    return () => {
      observer.disconnect();
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
};

/**
 * What stays at the foot of the screen while drafts are selected: tools, and the schedule bar (R-SCH-01). It must be a
 * child of the whole screen: it sticks no higher than where its parent begins.
 */
export function SelectionDock({ accountId, selection, actions, timeZone }: SelectionDockProps) {
  const letGo = () => {
    const { posts } = selection;
    selection.clear();
    showToast("Selection cleared", { onUndo: () => selection.restore(posts) });
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
        onClear={letGo}
        onSchedule={actions.schedule}
      />
    </div>
  );
}
