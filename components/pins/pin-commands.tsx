"use client";

import CopyPlus from "lucide-react/icons/copy-plus";
import LayoutTemplate from "lucide-react/icons/layout-template";
import { useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { TemplateDialog } from "#components/branding/template-dialog.tsx";
import { TimeForm } from "#components/publishing/time-form.tsx";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { formatDateTime } from "#lib/core/time.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { DuplicateDialog } from "./duplicate-dialog.tsx";
import type { PinActions } from "./use-pin-actions.ts";
import { usePinChanges } from "./use-pin-changes.ts";

type RescheduleProps = {
  isOpen: boolean;
  pin: PinWire;
  timeZone: string;
  isBusy: boolean;
  /** @returns whether the pin has the new time. */
  onReschedule: (pin: PinWire, at: Date) => Promise<boolean>;
  onClose: () => void;
};

/** Moves a scheduled pin to another time in the user's time zone. */
function RescheduleDialog({ isOpen, pin, timeZone, isBusy, onReschedule, onClose }: RescheduleProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="When should this pin be published?"
      description="Only this pin's time will change."
      hasCloseButton
    >
      <TimeForm
        label="Reschedule"
        before={new Date(pin.scheduled_at ?? Date.now())}
        timeZone={timeZone}
        submitLabel="Save new time"
        isBusy={isBusy}
        onSubmit={(at) => onReschedule(pin, at)}
        onClose={onClose}
      />
    </Dialog>
  );
}

type Open = "reschedule" | "publish" | "duplicate" | "template";

type PinCommandsProps = {
  pin: PinWire;
  username: string;
  boardName: string;
  timeZone: string;
  actions: PinActions;
  onEdit: () => void;
  /** Closes the details. */
  onClose: () => void;
};

type ButtonsProps = Pick<PinCommandsProps, "pin" | "actions" | "onEdit" | "onClose"> & {
  onOpen: (what: Open) => void;
};

/** The commands for the pin's status, the most likely first. */
function Buttons({ pin, actions, onEdit, onClose, onOpen }: ButtonsProps) {
  const { status } = pin;
  const isBusy = actions.busyPinId === pin.id;
  const isAtRest = status === "draft" || status === "failed";
  const then = async (done: Promise<boolean>) => {
    if (await done) onClose();
  };
  return (
    <div className="flex flex-wrap gap-2 pt-1">
      {status === "failed" && (
        <Button variant="primary" isBusy={isBusy} onClick={() => then(actions.retry(pin))}>
          Try again
        </Button>
      )}
      {isAtRest && (
        <Button data-opens-edit onClick={onEdit}>
          Edit
        </Button>
      )}
      {status === "scheduled" && <Button onClick={() => onOpen("reschedule")}>Reschedule</Button>}
      {(status === "draft" || status === "scheduled") && <Button onClick={() => onOpen("publish")}>Publish now</Button>}
      {status === "scheduled" && (
        <Button isBusy={isBusy} onClick={() => then(actions.unschedule(pin))}>
          Unschedule
        </Button>
      )}
      {pin.pinterest_url && (
        <a className={buttonClass({ variant: "primary" })} href={pin.pinterest_url} target="_blank" rel="noreferrer">
          View on Pinterest
        </a>
      )}
      {isAtRest && pin.format === "image" && !pin.may_be_published && (
        <Button onClick={() => onOpen("template")}>
          <LayoutTemplate aria-hidden="true" />
          Template
        </Button>
      )}
      <Button onClick={() => onOpen("duplicate")}>
        <CopyPlus aria-hidden="true" />
        Duplicate
      </Button>
      {isAtRest && (
        <Button variant="danger-quiet" isBusy={isBusy} onClick={() => then(actions.remove(pin))}>
          Delete
        </Button>
      )}
    </div>
  );
}

const publishText = ({ pin, username, boardName, timeZone }: PinCommandsProps): string => {
  const where = `It will be published right away to ${boardName} on ${username}'s account`;
  const instead = pin.scheduled_at ? `, not on ${formatDateTime(pin.scheduled_at, timeZone)}` : "";
  return `${where}${instead}. Once it's on Pinterest, you can only delete it there.`;
};

/** The commands of Pin Details and their dialogs. */
export function PinCommands(props: PinCommandsProps) {
  const { pin, timeZone, actions, onEdit, onClose } = props;
  const [open, setOpen] = useState<Open | null>(null);
  const changes = usePinChanges({ onChanged: actions.reload });
  const pins = useMemo(() => [pin], [pin]);
  const close = () => setOpen(null);
  const isBusy = actions.busyPinId === pin.id;

  const publish = async () => {
    const isOut = await actions.publishNow(pin);
    close();
    if (isOut) onClose();
  };

  return (
    <>
      <Buttons pin={pin} actions={actions} onEdit={onEdit} onClose={onClose} onOpen={setOpen} />
      <RescheduleDialog
        isOpen={open === "reschedule" && pin.status === "scheduled"}
        pin={pin}
        timeZone={timeZone}
        isBusy={isBusy}
        onReschedule={actions.reschedule}
        onClose={close}
      />
      <ConfirmDialog
        isOpen={open === "publish"}
        question="Publish this pin now?"
        declineLabel="Not yet"
        confirmLabel="Publish now"
        isBusy={isBusy}
        onDecline={close}
        onConfirm={() => void publish()}
      >
        {publishText(props)}
      </ConfirmDialog>
      <DuplicateDialog
        isOpen={open === "duplicate"}
        pins={pins}
        isBusy={changes.isBusy}
        onDuplicate={changes.duplicate}
        onPlan={(accountId, copyIds) => {
          flushSync(onClose);
          actions.planCopies(accountId, copyIds);
        }}
        onClose={close}
      />
      <TemplateDialog isOpen={open === "template"} pins={pins} onClose={close} onDone={actions.reload} />
    </>
  );
}
