"use client";

import CopyPlus from "lucide-react/icons/copy-plus";
import LayoutTemplate from "lucide-react/icons/layout-template";
import { type FormEvent, useMemo, useState } from "react";
import { TemplateDialog } from "#components/branding/template-dialog.tsx";
import { offsetText, readStart, type StartChoice, startAt, startDays } from "#components/publishing/read-start.ts";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FieldNote } from "#components/ui/field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { formatDateTime } from "#lib/core/time.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { DuplicateDialog } from "./duplicate-dialog.tsx";
import { useChanges } from "./use-changes.ts";
import type { PinActions } from "./use-pin-actions.ts";

type RescheduleProps = {
  post: PostWire;
  timeZone: string;
  isBusy: boolean;
  /** @returns whether the pin has the new time. */
  onReschedule: (post: PostWire, at: Date) => Promise<boolean>;
  onClose: () => void;
};

function RescheduleForm({ post, timeZone, isBusy, onReschedule, onClose }: RescheduleProps) {
  const [now] = useState(() => new Date());
  const before = new Date(post.scheduled_at ?? now);
  const [choice, setChoice] = useState<StartChoice>(() => startAt(before > now ? before : now, timeZone));
  const [problem, setProblem] = useState<string | null>(null);
  const read = readStart(choice, timeZone, now);
  const isSame = read.start !== null && Math.abs(read.start.getTime() - before.getTime()) < 1_000;

  const change = (some: Partial<StartChoice>) => {
    setProblem(null);
    setChoice({ ...choice, ...some, exact: null });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    // By the time of pressing: the dialog may have been open for long.
    const { start, problem: found } = readStart(choice, timeZone, new Date());
    if (start === null) return setProblem(found);
    if (await onReschedule(post, start)) onClose();
  };

  return (
    <form onSubmit={submit} noValidate className="mt-5 grid gap-3" aria-label="Reschedule">
      <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)] gap-3 max-sm:grid-cols-1">
        <TextField
          label="Date"
          type="date"
          {...startDays(now, timeZone)}
          value={choice.date}
          onChange={({ target }) => change({ date: target.value })}
        />
        <TextField
          label="Time"
          type="time"
          value={choice.time}
          onChange={({ target }) => change({ time: target.value })}
        />
      </div>
      <FieldNote>
        In {timeZone} ({offsetText(read.start ?? now, timeZone)})
      </FieldNote>
      <FieldNote role="alert" isError={Boolean(problem || read.problem)}>
        {problem ?? read.problem ?? read.note}
      </FieldNote>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!isBusy && (read.start === null || isSame)}>
          Move it
        </Button>
      </DialogActions>
    </form>
  );
}

/** Another time for a scheduled pin, by calendar and clock of the user's time zone (R-SRV-06). */
function RescheduleDialog({ isOpen, ...form }: RescheduleProps & { isOpen: boolean }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={form.onClose}
      title="When should it go out?"
      description="Only this pin moves; the others of its batch keep their times."
      hasCloseButton
    >
      <RescheduleForm {...form} />
    </Dialog>
  );
}

type Open = "reschedule" | "publish" | "duplicate" | "template";

type PinCommandsProps = {
  post: PostWire;
  /** Whose board it goes to, and which. */
  username: string;
  boardName: string;
  timeZone: string;
  actions: PinActions;
  onEdit: () => void;
  /** Closes the details. */
  onClose: () => void;
};

type ButtonsProps = Pick<PinCommandsProps, "post" | "actions" | "onEdit" | "onClose"> & {
  onOpen: (what: Open) => void;
};

/** What can be done with a pin in its state, the likeliest first. */
function Buttons({ post, actions, onEdit, onClose, onOpen }: ButtonsProps) {
  const { status } = post;
  const isBusy = actions.busyPinId === post.id;
  const isAtRest = status === "draft" || status === "failed";
  const then = async (done: Promise<boolean>) => {
    if (await done) onClose();
  };
  return (
    <div className="flex flex-wrap gap-2 pt-1">
      {status === "failed" && (
        <Button variant="primary" isBusy={isBusy} onClick={() => then(actions.retry(post))}>
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
        <Button isBusy={isBusy} onClick={() => then(actions.unschedule(post))}>
          Unschedule
        </Button>
      )}
      {post.pinterest_url && (
        <a className={buttonClass({ variant: "primary" })} href={post.pinterest_url} target="_blank" rel="noreferrer">
          View on Pinterest
        </a>
      )}
      {isAtRest && !post.may_be_published && (
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
        <Button variant="danger-quiet" isBusy={isBusy} onClick={() => then(actions.remove(post))}>
          Delete
        </Button>
      )}
    </div>
  );
}

/** What publishing now means for this pin, in a sentence or two. */
const publishText = ({ post, username, boardName, timeZone }: PinCommandsProps): string => {
  const where = `It goes to ${boardName} of ${username} at once`;
  const instead = post.scheduled_at ? ` instead of ${formatDateTime(post.scheduled_at, timeZone)}` : "";
  return `${where}${instead}. Once it is on Pinterest, it can only be removed there.`;
};

/** The commands of Pin Details, and what they ask before they do something. */
export function PinCommands(props: PinCommandsProps) {
  const { post, timeZone, actions, onEdit, onClose } = props;
  const [open, setOpen] = useState<Open | null>(null);
  const changes = useChanges({ onChanged: actions.reload });
  const posts = useMemo(() => [post], [post]);
  const close = () => setOpen(null);
  const isBusy = actions.busyPinId === post.id;

  const publish = async () => {
    const isOut = await actions.publishNow(post);
    close();
    if (isOut) onClose();
  };

  return (
    <>
      <Buttons post={post} actions={actions} onEdit={onEdit} onClose={onClose} onOpen={setOpen} />
      <RescheduleDialog
        isOpen={open === "reschedule" && post.status === "scheduled"}
        post={post}
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
        posts={posts}
        isBusy={changes.isBusy}
        onDuplicate={changes.duplicate}
        onClose={close}
      />
      <TemplateDialog isOpen={open === "template"} posts={posts} onClose={close} onDone={actions.reload} />
    </>
  );
}
