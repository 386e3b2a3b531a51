"use client";

import CopyPlus from "lucide-react/icons/copy-plus";
import MoreHorizontal from "lucide-react/icons/ellipsis";
import LayoutTemplate from "lucide-react/icons/layout-template";
import SquarePen from "lucide-react/icons/square-pen";
import Trash2 from "lucide-react/icons/trash-2";
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { TemplateDialog } from "#components/branding/template-dialog.tsx";
import { ScheduleBar, type SchedulePlan } from "#components/publishing/schedule-bar.tsx";
import type { PlanFields } from "#components/publishing/use-schedule-plan.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { DuplicateDialog } from "./duplicate-dialog.tsx";
import { EditPinsDialog } from "./edit-pins-dialog.tsx";
import { useChanges } from "./use-changes.ts";
import type { PinActions } from "./use-pin-actions.ts";
import type { Selection } from "./use-selection.ts";

type SelectionToolsProps = {
  /** Null only while no account is connected, when nothing can be selected either. */
  accountId: string | null;
  /** What is selected; `selection.posts` are the drafts as last known, in the order in which they go out. */
  selection: Selection;
  actions: PinActions;
  timeZone: string;
};

const TOOLS = ["edit", "duplicate", "template", "delete"] as const;
type Tool = (typeof TOOLS)[number];

const LOOKS: Record<Tool, { word: string; icon: ReactNode }> = {
  edit: { word: "Edit", icon: <SquarePen aria-hidden="true" /> },
  duplicate: { word: "Duplicate", icon: <CopyPlus aria-hidden="true" /> },
  template: { word: "Template", icon: <LayoutTemplate aria-hidden="true" /> },
  delete: { word: "Delete", icon: <Trash2 aria-hidden="true" /> },
};

type ToolsProps = { isDeleting: boolean; onUse: (tool: Tool) => void };

/** The tools side by side, and on phones in a menu. */
function Tools({ isDeleting, onUse }: ToolsProps) {
  return (
    <>
      {TOOLS.map((tool) => (
        <Button
          key={tool}
          size="sm"
          variant={tool === "delete" ? "danger-ghost" : "quiet"}
          className="max-md:hidden"
          isBusy={tool === "delete" && isDeleting}
          onClick={() => onUse(tool)}
        >
          {LOOKS[tool].icon}
          {LOOKS[tool].word}
        </Button>
      ))}
      <Menu
        label="Change the selected pins"
        trigger={
          <Button size="sm" variant="quiet" className="max-md:min-h-11 md:hidden" isBusy={isDeleting}>
            <MoreHorizontal aria-hidden="true" />
            Change
          </Button>
        }
      >
        {TOOLS.map((tool) => (
          <MenuItem key={tool} icon={LOOKS[tool].icon} isDangerous={tool === "delete"} onSelect={() => onUse(tool)}>
            {LOOKS[tool].word}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

/** The button of the tool that was used, or the menu's where that one is hidden. */
const buttonOf = (bar: RefObject<HTMLElement | null>, tool: Tool): HTMLElement | null => {
  const buttons = [...(bar.current?.querySelectorAll<HTMLElement>("button") ?? [])];
  const shown = buttons.filter((button) => button.checkVisibility());
  return shown[TOOLS.indexOf(tool)] ?? shown[0] ?? null;
};

/** What can be done with the selected drafts besides scheduling them. */
function SelectionTools({ accountId, selection, actions }: SelectionToolsProps) {
  const bar = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<Tool | null>(null);
  const changes = useChanges({ onChanged: actions.reload });
  const close = () => setOpen(null);

  const use = async (tool: Tool) => {
    if (tool !== "delete") return setOpen(tool);
    if (!(await actions.removeAll(selection.ids))) return;
    // The tools go with what was selected; the list's own tab is what stays.
    document.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus();
  };

  return (
    <section
      ref={bar}
      aria-label="Change the selected pins"
      className={cn("flex flex-wrap gap-0.5 justify-self-start max-w-full p-1 rounded-[12px] bg-raised shadow-bar")}
    >
      <Tools isDeleting={actions.isRemoving} onUse={(tool) => void use(tool)} />
      <EditPinsDialog
        isOpen={open === "edit"}
        accountId={accountId}
        pinIds={selection.ids}
        isBusy={changes.isBusy}
        onApply={changes.edit}
        onLeaveOut={(pinIds) => {
          for (const post of selection.posts.filter(({ id }) => pinIds.includes(id))) selection.toggle(post);
        }}
        onClose={close}
        focusAfter={() => buttonOf(bar, "edit")}
      />
      <DuplicateDialog
        isOpen={open === "duplicate"}
        posts={selection.posts}
        isBusy={changes.isBusy}
        onDuplicate={changes.duplicate}
        onClose={close}
        focusAfter={() => buttonOf(bar, "duplicate")}
      />
      <TemplateDialog
        isOpen={open === "template"}
        posts={selection.posts}
        onClose={close}
        onDone={actions.reload}
        focusAfter={() => buttonOf(bar, "template")}
      />
    </section>
  );
}

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
    <div
      ref={dock}
      data-slot="selection-dock"
      className={cn(
        "sticky bottom-5 z-(--z-bar) grid gap-2 w-[calc(100%_-_56px)] mt-5 mb-0 mx-auto",
        "max-md:bottom-2.5 max-md:w-[calc(100%_-_8px)] max-md:mt-3",
      )}
    >
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
