"use client";

import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { FocusedHeading } from "#components/ui/focused-heading.tsx";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { SearchBox } from "#components/ui/search-box.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { Row, Specimen, Specimens } from "./specimen.tsx";

/** A search box; with text in it, it shows the clear button. */
export function Search() {
  const [text, setText] = useState("balcony");
  return <SearchBox label="Find a pin" placeholder="Titles and keywords" value={text} onChange={setText} />;
}

type Open = "dialog" | "wide" | "question" | "danger" | "discard" | null;

/** Dialogs, menus, notices and toasts, each opened by a button. */
export function Overlays() {
  const [open, setOpen] = useState<Open>(null);
  const [drafts, setDrafts] = useState(3);
  const [isDone, setDone] = useState(false);
  const notice = useNotice();
  const close = () => setOpen(null);

  function removeDraft(): void {
    setDrafts(drafts - 1);
    showToast("1 draft deleted", { onUndo: () => setDrafts(drafts) });
  }

  return (
    <Specimens id="overlays" title="Dialogs, notices, toasts">
      <Row>
        <Specimen name="dialog with a field">
          <Button onClick={() => setOpen("dialog")}>Open dialog</Button>
        </Specimen>
        <Specimen name="wide dialog">
          <Button onClick={() => setOpen("wide")}>Open wide dialog</Button>
        </Specimen>
        <Specimen name="confirmation">
          <Button onClick={() => setOpen("question")}>Confirm</Button>
        </Specimen>
        <Specimen name="dangerous confirmation">
          <Button variant="danger-quiet" onClick={() => setOpen("danger")}>
            Confirm removal
          </Button>
        </Specimen>
        <Specimen name="unsaved changes">
          <Button onClick={() => setOpen("discard")}>Leave a form</Button>
        </Specimen>
      </Row>
      <Specimen name="menu with a disabled and a dangerous command">
        <Menu label="Pin actions" trigger={<Button>Open menu</Button>}>
          <MenuItem onSelect={() => showToast("Edit selected")}>Edit</MenuItem>
          <MenuItem disabled onSelect={close}>
            Duplicate
          </MenuItem>
          <MenuItem isDangerous onSelect={() => showToast("Delete selected")}>
            Delete
          </MenuItem>
        </Menu>
      </Specimen>
      <Row>
        <Specimen name="notice, success">
          <Button onClick={() => notice.success("Login successful!")}>Show success</Button>
        </Specimen>
        <Specimen name="notice, error">
          <Button onClick={() => notice.error("Please fill in all required fields.")}>Show error</Button>
        </Specimen>
        <Specimen name="toast">
          <Button onClick={() => showToast("URL copied to clipboard!", { hasCheck: true })}>Show toast</Button>
        </Specimen>
        <Specimen name={`toast with undo, ${drafts} drafts`}>
          <Button onClick={removeDraft} disabled={drafts === 0}>
            Delete a draft
          </Button>
        </Specimen>
      </Row>
      <Specimen name="heading that takes the focus when the view changes">
        {isDone ? (
          <FocusedHeading level={2} className="title-3">
            Your message is on its way
          </FocusedHeading>
        ) : (
          <Button onClick={() => setDone(true)}>Change view</Button>
        )}
      </Specimen>
      <Dialog isOpen={open === "dialog"} onClose={close} title="Rename this board" hasCloseButton>
        <TextField label="Name" defaultValue="Small gardens" fieldClassName="mt-5" />
      </Dialog>
      <Dialog isOpen={open === "wide"} onClose={close} title="A pin and its receipt" width="lg" hasCloseButton>
        <p className="mt-3 max-w-[62ch] text-sm text-ink-2">An image on the left and details on the right.</p>
      </Dialog>
      <ConfirmDialog
        isOpen={open === "question"}
        question="Publish 3 pins now?"
        declineLabel="Not yet"
        confirmLabel="Publish"
        onDecline={close}
        onConfirm={close}
      >
        They'll be published one after another.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === "danger"}
        question="Remove juniper.studio?"
        declineLabel="Keep it"
        confirmLabel="Remove"
        isDangerous
        onDecline={close}
        onConfirm={close}
      >
        Its scheduled pins won't be published.
      </ConfirmDialog>
      <DiscardDialog guard={{ isConfirming: open === "discard", leave: close, keepEditing: close, discard: close }}>
        Your changes to this draft haven't been saved.
      </DiscardDialog>
    </Specimens>
  );
}
