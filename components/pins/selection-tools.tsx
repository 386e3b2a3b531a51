"use client";

import CopyPlus from "lucide-react/icons/copy-plus";
import MoreHorizontal from "lucide-react/icons/ellipsis";
import LayoutTemplate from "lucide-react/icons/layout-template";
import SquarePen from "lucide-react/icons/square-pen";
import Trash2 from "lucide-react/icons/trash-2";
import { type ReactNode, type RefObject, useRef, useState } from "react";
import { TemplateDialog } from "#components/branding/template-dialog.tsx";
import { DuplicateDialog } from "#components/pins/manage/duplicate-dialog.tsx";
import { EditPinsDialog } from "#components/pins/manage/edit-pins-dialog.tsx";
import { useChanges } from "#components/pins/manage/use-changes.ts";
import type { PinActions } from "#components/pins/use-pin-actions.ts";
import type { Selection } from "#components/pins/use-selection.ts";
import { Button } from "#components/ui/button.tsx";
import { Menu, MenuItem } from "#components/ui/menu.tsx";

export type SelectionToolsProps = {
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
          variant={tool === "delete" ? "danger-quiet" : "quiet"}
          className="tools-wide"
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
          <Button size="sm" variant="quiet" className="tools-narrow" isBusy={isDeleting}>
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
export function SelectionTools({ accountId, selection, actions }: SelectionToolsProps) {
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
    <section ref={bar} aria-label="Change the selected pins" className="selection-tools">
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
