"use client";

import { type FormEvent, type RefObject, useCallback, useEffect, useState } from "react";
import { useBoards } from "#components/accounts/boards.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { useLatest } from "#components/ui/use-latest.ts";
import { useTellTyped, useTypedDialog } from "#components/ui/use-typed-dialog.ts";
import { type ActionAnswer, callAction } from "#lib/client/api.ts";
import { previewEditsAction } from "#lib/features/pins/actions.ts";
import type { PlannedEdit } from "#lib/features/pins/schema.ts";
import { type EditChoice, type EditsSent, isChosen, NO_EDIT, toChange } from "./edit-choice.ts";
import { EditFields } from "./edit-fields.tsx";

const PAUSE_MS = 300;

/** What a change would do, as the server works it out. */
interface EditPreview {
  /** What was worked out last; null before, and once nothing is to be changed. Kept while the next is on its way. */
  edits: PlannedEdit[] | null;
  /** Whether `edits` are those of what is asked now. */
  isCurrent: boolean;
  /** Why it cannot be done at all, or null. */
  problem: string | null;
  /** Problems by the name of the field in the change: `link`, `boardId` … */
  fields: Record<string, string>;
}

type Asked = { pinIds: string[]; change: EditsSent; key: string };
type Told = { key: string; answer: ActionAnswer<{ edits: PlannedEdit[] }> };

const ask = async ({ pinIds, change }: Asked) => callAction(previewEditsAction({ pinIds, change }));

/** The first sentence of each field of a change; those of its parts (`utm.source`) count for the whole as well. */
const fieldsOf = (answer: ActionAnswer<unknown>): Record<string, string> => {
  if (answer.ok) return {};
  const named = Object.entries(answer.fields ?? {}).flatMap(([path, [text = ""]]) => {
    const part = path.replace(/^change\./, "");
    const [name = ""] = part.split(".");
    return [
      [part, text],
      [name, text],
    ];
  });
  return Object.fromEntries(named);
};

/** Works a change out a moment after it was chosen, while the form is open. A null change asks for nothing. */
function useEditPreview(pinIds: string[], change: EditsSent | null): EditPreview {
  const [told, setTold] = useState<Told | null>(null);
  const [edits, setEdits] = useState<PlannedEdit[] | null>(null);
  const tell = useCallback((answer: Told["answer"], { key }: Asked) => {
    setTold({ key, answer });
    setEdits(answer.ok ? answer.value.edits : null);
  }, []);
  const call = useLatest(ask, tell);
  const key = change && JSON.stringify([pinIds, change]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is asked
  useEffect(() => {
    if (change && key !== null) call({ pinIds, change, key }, PAUSE_MS);
    else setEdits(null);
  }, [key, call]);

  const isCurrent = told !== null && told.key === key;
  return {
    edits: change === null ? null : edits,
    isCurrent,
    problem: isCurrent && !told.answer.ok ? told.answer.text : null,
    fields: isCurrent ? fieldsOf(told.answer) : {},
  };
}

type Change = PlannedEdit["changes"][number];

type PlannedChangesProps = {
  edits: readonly PlannedEdit[];
  /** The name of a board, or its id while names are not known. */
  nameOf: (boardId: string) => string;
};

const WORDS = { board: "Board", link: "Link", description: "Description" } as const;

/** What is put at the end of a description, and a little of what stands before it. */
const LEAD_CHARACTERS = 40;

const clipped = (text: string): string => (text.length <= LEAD_CHARACTERS ? text : `…${text.slice(-LEAD_CHARACTERS)}`);

/** One change; what is added at the end stands out from what was there. */
function ChangeLine({ change, nameOf }: { change: Change; nameOf: PlannedChangesProps["nameOf"] }) {
  const { field, before, after } = change;
  const isAdded = field === "description" && after.startsWith(before);
  const shown = (value: string) => (field === "board" ? nameOf(value) : value);
  return (
    <>
      <dt>{WORDS[field]}</dt>
      <dd>
        {isAdded ? (
          <>
            {clipped(before)}
            <ins>{after.slice(before.length)}</ins>
          </>
        ) : (
          <>
            {before !== "" && (
              <>
                <del>{shown(before)}</del>{" "}
              </>
            )}
            {after === "" ? <span className="text-ink-3">none</span> : <ins>{shown(after)}</ins>}
          </>
        )}
      </dd>
    </>
  );
}

/** What a change does to each pin, before it is made. Pins that stand against it come first. */
function PlannedChanges({ edits, nameOf }: PlannedChangesProps) {
  const ordered = edits.toSorted((a, b) => Number(b.problem !== null) - Number(a.problem !== null));
  return (
    <ul
      className={cn(
        "grid gap-3.5 text-xs/[1.5] group-aria-busy/edit-preview:opacity-55",
        "[&>li]:grid [&>li]:gap-1 [&>li]:[content-visibility:auto]",
        "[&>li]:[contain-intrinsic-size:auto_70px]",
        "[&_dl]:grid [&_dl]:grid-cols-[84px_minmax(0,1fr)] [&_dl]:gap-y-0.5 [&_dl]:gap-x-2.5",
        "[&_dt]:text-ink-3 [&_dd]:wrap-anywhere [&_del]:text-ink-3",
        "[&_ins]:text-accent-ink [&_ins]:no-underline [&_ins]:font-[550]",
      )}
    >
      {ordered.map(({ id, title, changes, problem }) => (
        <li key={id}>
          <p className="text-sm font-semibold">{title}</p>
          {problem === null ? (
            <dl>
              {changes.map((change) => (
                <ChangeLine key={change.field} change={change} nameOf={nameOf} />
              ))}
            </dl>
          ) : (
            <Banner tone="failed">{problem}</Banner>
          )}
          {problem === null && changes.length === 0 && <p className="text-ink-3">Stays as it is</p>}
        </li>
      ))}
    </ul>
  );
}

const pinsText = (count: number): string => (count === 1 ? "1 pin" : `${count} pins`);

type EditPinsProps = {
  accountId: string | null;
  pinIds: string[];
  isBusy: boolean;
  /** @returns whether they were changed. */
  onApply: (pinIds: string[], change: EditsSent) => Promise<boolean>;
  /** Takes pins that cannot be changed out of the selection. */
  onLeaveOut: (pinIds: string[]) => void;
  onClose: () => void;
};

type PreviewProps = Pick<EditPinsProps, "onLeaveOut"> & {
  preview: EditPreview;
  isEmpty: boolean;
  nameOf: (boardId: string) => string;
};

const isEdited = ({ changes, problem }: PlannedEdit): boolean => changes.length > 0 && problem === null;

/** Why this cannot be done, where no field says it already. */
const problemOf = ({ problem, fields }: EditPreview): string | null =>
  problem !== null && Object.keys(fields).length === 0 ? problem : null;

/** What would come of it, beside the fields. */
function Preview({ preview, isEmpty, nameOf, onLeaveOut }: PreviewProps) {
  const { edits, isCurrent } = preview;
  const problem = problemOf(preview);
  const stuck = edits?.filter((edit) => edit.problem !== null).map(({ id }) => id) ?? [];
  const count = edits?.filter(isEdited).length ?? 0;
  return (
    <section
      className={cn(
        "group/edit-preview",
        // The button of a banner stands below the words, not below their mark.
        "[&_[data-slot=banner]:has(>[data-slot=button])]:grid [&_[data-slot=banner]:has(>[data-slot=button])]:grid-cols-[auto_minmax(0,1fr)] [&_[data-slot=banner]:has(>[data-slot=button])]:items-start",
        "[&_[data-slot=banner]>[data-slot=button]]:col-start-2 [&_[data-slot=banner]>[data-slot=button]]:justify-self-start",
        "sticky top-0 grid gap-3 content-start min-h-50 max-h-[min(560px,calc(100dvh_-_260px))] py-3.5",
        "px-4 rounded-[12px] bg-well shadow-[inset_0_0_0_1px_var(--line)] overflow-y-auto",
        "max-md:static max-md:max-h-none max-md:min-h-0",
      )}
      aria-label="What changes"
      aria-busy={!isEmpty && !isCurrent}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
    >
      <p role="status" className="text-sm text-ink-2 num">
        {isEmpty && "Choose what to change. You see here what becomes of each pin before anything is kept."}
        {Object.keys(preview.fields).length > 0 && "Correct what is marked: then you see here what changes."}
        {edits && (count === 0 ? "Nothing would change." : `${pinsText(count)} of ${edits.length} would change.`)}
      </p>
      {problem !== null && (
        <Banner tone="failed" isAnnounced>
          {problem}
        </Banner>
      )}
      {stuck.length > 0 && (
        <Banner
          tone="low"
          isAnnounced
          action={
            <Button size="sm" onClick={() => onLeaveOut(stuck)}>
              Leave out
            </Button>
          }
        >
          {pinsText(stuck.length)} cannot be changed this way.
        </Banner>
      )}
      {edits && <PlannedChanges edits={edits} nameOf={nameOf} />}
    </section>
  );
}

type EditFormProps = EditPinsProps & { typed: RefObject<boolean> };

function EditForm({ accountId, pinIds, isBusy, typed, onApply, onLeaveOut, onClose }: EditFormProps) {
  const boards = useBoards(accountId);
  const [choice, setChoice] = useState<EditChoice>(NO_EDIT);
  useTellTyped(typed, isChosen(choice));
  const change = toChange(choice);
  const preview = useEditPreview(pinIds, change);
  const count = preview.edits?.filter(isEdited).length ?? 0;
  const isStuck = preview.edits?.some(({ problem }) => problem !== null) ?? false;
  const isReady = change !== null && preview.isCurrent && preview.edits !== null && count > 0 && !isStuck;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isBusy) return;
    if (await onApply(pinIds, change)) onClose();
  };

  return (
    <form onSubmit={submit} noValidate aria-label="Change the selected pins">
      <div
        className={cn(
          "grid grid-cols-[minmax(0,380px)_minmax(0,1fr)] gap-7.5 items-start mt-5.5",
          "max-md:grid-cols-1 max-md:gap-5.5",
        )}
      >
        <EditFields
          boards={boards}
          choice={choice}
          problems={preview.fields}
          onChange={(some) => setChoice((before) => ({ ...before, ...some }))}
        />
        <Preview
          preview={preview}
          isEmpty={change === null}
          nameOf={(boardId) => boards.items?.find(({ id }) => id === boardId)?.name ?? boardId}
          onLeaveOut={onLeaveOut}
        />
      </div>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!isReady && !isBusy}>
          {isReady ? `Change ${pinsText(count)}` : "Change"}
        </Button>
      </DialogActions>
    </form>
  );
}

type EditPinsDialogProps = EditPinsProps & { isOpen: boolean; focusAfter: () => HTMLElement | null };

/** Board, link with its UTM parameters, and the end of the description of several drafts, with what becomes of each. */
export function EditPinsDialog({ isOpen, focusAfter, ...form }: EditPinsDialogProps) {
  const { guard, typed } = useTypedDialog(isOpen, form.onClose);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={guard.leave}
      title={`Edit ${pinsText(form.pinIds.length)}`}
      focusAfter={focusAfter}
      hasCloseButton
      width="xl"
    >
      <EditForm {...form} typed={typed} />
      <DiscardDialog guard={guard}>None of the pins has been changed yet.</DiscardDialog>
    </Dialog>
  );
}
