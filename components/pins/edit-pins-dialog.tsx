"use client";

import { type FormEvent, type RefObject, useCallback, useEffect, useState } from "react";
import { useSections } from "#components/accounts/section-field.tsx";
import { useBoards } from "#components/accounts/use-boards.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { useFormDialog, useReportDirty } from "#components/ui/use-form-dialog.ts";
import { useLatest } from "#components/ui/use-latest.ts";
import { type ActionResult, callAction } from "#lib/client/api.ts";
import { previewEditsAction } from "#lib/features/pins/actions.ts";
import type { PlannedEdit } from "#lib/features/pins/schema.ts";
import { type EditChange, type EditChoice, isChosen, NO_EDIT, toChange } from "./edit-choice.ts";
import { EditFields } from "./edit-fields.tsx";

const PREVIEW_DELAY_MS = 300;

/** The server's preview of a change. */
interface EditPreview {
  /** The last preview, also while the next one loads; null before the first and for an empty change. */
  edits: PlannedEdit[] | null;
  /** Whether `edits` belongs to the current change. */
  isCurrent: boolean;
  /** Why the whole change is not possible, or null. */
  problem: string | null;
  /** Problems by field of the change, such as `link` or `boardId`. */
  fields: Record<string, string>;
}

type PreviewRequest = { pinIds: string[]; change: EditChange; key: string };
type PreviewResponse = { key: string; answer: ActionResult<{ edits: PlannedEdit[] }> };

const fetchPreview = async ({ pinIds, change }: PreviewRequest) => callAction(previewEditsAction({ pinIds, change }));

/** The first problem of each field; a problem of a part (`utm.source`) counts for its field as well. */
const fieldsOf = (answer: ActionResult<unknown>): Record<string, string> => {
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

/** Previews a change after a short delay. A null change sends no request. */
function useEditPreview(pinIds: string[], change: EditChange | null): EditPreview {
  const [response, setResponse] = useState<PreviewResponse | null>(null);
  const [edits, setEdits] = useState<PlannedEdit[] | null>(null);
  const receive = useCallback((answer: PreviewResponse["answer"], { key }: PreviewRequest) => {
    setResponse({ key, answer });
    setEdits(answer.ok ? answer.value.edits : null);
  }, []);
  const schedulePreview = useLatest(fetchPreview, receive);
  const key = change && JSON.stringify([pinIds, change]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents pinIds and change
  useEffect(() => {
    if (change && key !== null) schedulePreview({ pinIds, change, key }, PREVIEW_DELAY_MS);
    else setEdits(null);
  }, [key, schedulePreview]);

  const isCurrent = response !== null && response.key === key;
  return {
    edits: change === null ? null : edits,
    isCurrent,
    problem: isCurrent && !response.answer.ok ? response.answer.text : null,
    fields: isCurrent ? fieldsOf(response.answer) : {},
  };
}

type Change = PlannedEdit["changes"][number];

type PlannedChangesProps = {
  edits: readonly PlannedEdit[];
  nameOf: NameOf;
};

/** The name of a board or section. */
type NameOf = (field: "board" | "section", id: string) => string;

const FIELD_LABELS = {
  board: "Board",
  section: "Section",
  link: "Link",
  description: "Description",
  alt_text: "Alt text",
} as const;

/** How much of the old description to show before the added text. */
const LEAD_CHARACTERS = 40;

const clip = (text: string): string => (text.length <= LEAD_CHARACTERS ? text : `…${text.slice(-LEAD_CHARACTERS)}`);

function ChangeLine({ change, nameOf }: { change: Change; nameOf: PlannedChangesProps["nameOf"] }) {
  const { field, before, after } = change;
  const isAdded = field === "description" && after.startsWith(before);
  const shown = (value: string) => (field === "board" || field === "section" ? nameOf(field, value) : value);
  return (
    <>
      <dt>{FIELD_LABELS[field]}</dt>
      <dd>
        {isAdded ? (
          <>
            {clip(before)}
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

/** The preview per pin, with problems first. */
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
          {problem === null && changes.length === 0 && <p className="text-ink-3">No change</p>}
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
  onApply: (pinIds: string[], change: EditChange) => Promise<boolean>;
  /** Deselects pins that cannot be changed. */
  onLeaveOut: (pinIds: string[]) => void;
  onClose: () => void;
};

type PreviewProps = Pick<EditPinsProps, "onLeaveOut"> & {
  preview: EditPreview;
  isEmpty: boolean;
  nameOf: NameOf;
};

const isEdited = ({ changes, problem }: PlannedEdit): boolean => changes.length > 0 && problem === null;

/** The general problem, unless a field shows one already. */
const problemOf = ({ problem, fields }: EditPreview): string | null =>
  problem !== null && Object.keys(fields).length === 0 ? problem : null;

function Preview({ preview, isEmpty, nameOf, onLeaveOut }: PreviewProps) {
  const { edits, isCurrent } = preview;
  const problem = problemOf(preview);
  const blocked = edits?.filter((edit) => edit.problem !== null).map(({ id }) => id) ?? [];
  const count = edits?.filter(isEdited).length ?? 0;
  return (
    <section
      className={cn(
        "group/edit-preview",
        // Aligns the button of a banner with its text, not with its icon.
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
        {isEmpty && "Choose what to change. You'll see the result for each pin here before anything is saved."}
        {Object.keys(preview.fields).length > 0 && "Fix the marked fields to see what changes."}
        {edits && (count === 0 ? "Nothing will change." : `${count} of ${pinsText(edits.length)} will change.`)}
      </p>
      {problem !== null && (
        <Banner tone="failed" isAnnounced>
          {problem}
        </Banner>
      )}
      {blocked.length > 0 && (
        <Banner
          tone="low"
          isAnnounced
          action={
            <Button size="sm" onClick={() => onLeaveOut(blocked)}>
              {blocked.length === 1 ? "Exclude this pin" : "Exclude these pins"}
            </Button>
          }
        >
          {pinsText(blocked.length)} can't be changed this way.
        </Banner>
      )}
      {edits && <PlannedChanges edits={edits} nameOf={nameOf} />}
    </section>
  );
}

type EditFormProps = EditPinsProps & { dirtyRef: RefObject<boolean> };

function EditForm({ accountId, pinIds, isBusy, dirtyRef, onApply, onLeaveOut, onClose }: EditFormProps) {
  const boards = useBoards(accountId);
  const [choice, setChoice] = useState<EditChoice>(NO_EDIT);
  const sections = useSections(accountId, choice.boardId || null);
  useReportDirty(dirtyRef, isChosen(choice));
  const change = toChange(choice);
  const preview = useEditPreview(pinIds, change);
  const count = preview.edits?.filter(isEdited).length ?? 0;
  const isBlocked = preview.edits?.some(({ problem }) => problem !== null) ?? false;
  const isReady = change !== null && preview.isCurrent && preview.edits !== null && count > 0 && !isBlocked;

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
          nameOf={(field, id) =>
            field === "board"
              ? (boards.items?.find((board) => board.id === id)?.name ?? id)
              : // A board that is left has sections of its own.
                (sections.items?.find((section) => section.id === id)?.name ?? "another section")
          }
          onLeaveOut={onLeaveOut}
        />
      </div>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!isReady && !isBusy}>
          {isReady ? `Update ${pinsText(count)}` : "Update"}
        </Button>
      </DialogActions>
    </form>
  );
}

type EditPinsDialogProps = EditPinsProps & { isOpen: boolean; focusAfter: () => HTMLElement | null };

/** Changes board, link, UTM parameters and the end of the description of several pins, with a preview. */
export function EditPinsDialog({ isOpen, focusAfter, ...form }: EditPinsDialogProps) {
  const { guard, dirtyRef } = useFormDialog(isOpen, form.onClose);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={guard.leave}
      title={`Edit ${pinsText(form.pinIds.length)}`}
      focusAfter={focusAfter}
      hasCloseButton
      width="xl"
    >
      <EditForm {...form} dirtyRef={dirtyRef} />
      <DiscardDialog guard={guard}>Your changes haven't been applied to any pin yet.</DiscardDialog>
    </Dialog>
  );
}
