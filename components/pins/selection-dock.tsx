"use client";

import CalendarClock from "lucide-react/icons/calendar-clock";
import CopyPlus from "lucide-react/icons/copy-plus";
import MoreHorizontal from "lucide-react/icons/ellipsis";
import LayoutTemplate from "lucide-react/icons/layout-template";
import SquarePen from "lucide-react/icons/square-pen";
import Trash2 from "lucide-react/icons/trash-2";
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { TemplateDialog } from "#components/branding/template-dialog.tsx";
import { ScheduleBar, type SchedulePlan } from "#components/publishing/schedule-bar.tsx";
import { SlotPlanDialog } from "#components/publishing/slot-plan-dialog.tsx";
import { useMoves } from "#components/publishing/use-moves.ts";
import type { PlanFields } from "#components/publishing/use-schedule-plan.ts";
import { useDockHeight } from "#components/shared/use-dock-height.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { DuplicateDialog } from "./duplicate-dialog.tsx";
import { EditPinsDialog } from "./edit-pins-dialog.tsx";
import { SectionChoice } from "./section-choice.tsx";
import type { PinActions } from "./use-pin-actions.ts";
import { usePinChanges } from "./use-pin-changes.ts";
import type { Selection } from "./use-selection.ts";

type SelectionToolsProps = {
  /** Null only while no account is connected, when nothing can be selected either. */
  accountId: string | null;
  selection: Selection;
  actions: PinActions;
  timeZone: string;
};

const TOOLS = ["edit", "duplicate", "template", "slots", "delete"] as const;
type Tool = (typeof TOOLS)[number];

const TOOL_BUTTONS: Record<Tool, { label: string; icon: ReactNode }> = {
  edit: { label: "Edit", icon: <SquarePen aria-hidden="true" /> },
  duplicate: { label: "Duplicate", icon: <CopyPlus aria-hidden="true" /> },
  template: { label: "Template", icon: <LayoutTemplate aria-hidden="true" /> },
  slots: { label: "Fill free slots", icon: <CalendarClock aria-hidden="true" /> },
  delete: { label: "Delete", icon: <Trash2 aria-hidden="true" /> },
};

type ToolsProps = { isDeleting: boolean; onUse: (tool: Tool) => void };

/** The tools as buttons, on phones as a menu. */
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
          {TOOL_BUTTONS[tool].icon}
          {TOOL_BUTTONS[tool].label}
        </Button>
      ))}
      <Menu
        label="Actions for the selected pins"
        trigger={
          <Button size="sm" variant="quiet" className="max-md:min-h-11 md:hidden" isBusy={isDeleting}>
            <MoreHorizontal aria-hidden="true" />
            Actions
          </Button>
        }
      >
        {TOOLS.map((tool) => (
          <MenuItem
            key={tool}
            icon={TOOL_BUTTONS[tool].icon}
            isDangerous={tool === "delete"}
            onSelect={() => onUse(tool)}
          >
            {TOOL_BUTTONS[tool].label}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

/** The button of a tool, or the menu button on phones. */
const buttonOf = (bar: RefObject<HTMLElement | null>, tool: Tool): HTMLElement | null => {
  const buttons = [...(bar.current?.querySelectorAll<HTMLElement>("button") ?? [])];
  const shown = buttons.filter((button) => button.checkVisibility());
  return shown[TOOLS.indexOf(tool)] ?? shown[0] ?? null;
};

/** Commands for the selected drafts, except scheduling. */
function SelectionTools({ accountId, selection, actions, timeZone }: SelectionToolsProps) {
  const bar = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<Tool | null>(null);
  const changes = usePinChanges({ onChanged: actions.reload });
  const { move } = useMoves(async () => actions.reload());
  const close = () => setOpen(null);

  const use = async (tool: Tool) => {
    if (tool !== "delete") return setOpen(tool);
    if (!(await actions.removeAll(selection.ids))) return;
    // The dock disappears with the selection, so the focus goes to the selected tab.
    document.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus();
  };

  return (
    <section
      ref={bar}
      aria-label="Actions for the selected pins"
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
          for (const pin of selection.pins.filter(({ id }) => pinIds.includes(id))) selection.toggle(pin);
        }}
        onClose={close}
        focusAfter={() => buttonOf(bar, "edit")}
      />
      <DuplicateDialog
        isOpen={open === "duplicate"}
        pins={selection.pins}
        isBusy={changes.isBusy}
        onDuplicate={changes.duplicate}
        onPlan={actions.planCopies}
        onClose={close}
        focusAfter={() => buttonOf(bar, "duplicate")}
      />
      <TemplateDialog
        isOpen={open === "template"}
        pins={selection.pins}
        onClose={close}
        onDone={actions.reload}
        focusAfter={() => buttonOf(bar, "template")}
      />
      <SlotPlanDialog
        accountId={accountId ?? ""}
        drafts={open === "slots" ? selection.pins : null}
        zone={timeZone}
        onConfirm={(plan) => move(plan, timeZone)}
        onClose={close}
        focusAfter={() => buttonOf(bar, "slots")}
      />
    </section>
  );
}

/** Moves the focus from the dock to the selected tab when the dock disappears. */
const useFocusOnUnmount = (dock: RefObject<HTMLElement | null>): void => {
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
 * Tools and the schedule bar, shown while drafts are selected. Must be a direct child of the screen: a sticky element
 * cannot leave its parent.
 */
export function SelectionDock({ accountId, selection, actions, timeZone, fields }: SelectionDockProps) {
  const clearSelection = () => {
    const { pins } = selection;
    selection.clear();
    showToast("Selection cleared", { onUndo: () => selection.restore(pins) });
  };
  const schedule = async (plan: SchedulePlan) => {
    if (await actions.schedule(plan)) fields.reset();
  };
  const applyPlan: typeof actions.applyPlan = async (plan, leftOut) => {
    const isApplied = await actions.applyPlan(plan, leftOut);
    if (isApplied) fields.reset();
    return isApplied;
  };
  const dock = useRef<HTMLDivElement>(null);
  useDockHeight(dock);
  useFocusOnUnmount(dock);
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
        pins={selection.pins}
        isBusy={actions.isScheduling}
        timeZone={timeZone}
        fields={fields}
        onClear={clearSelection}
        onSchedule={(plan) => void schedule(plan)}
        onApply={applyPlan}
      >
        <SectionChoice pins={selection.pins} onChanged={actions.reload} />
      </ScheduleBar>
    </div>
  );
}
