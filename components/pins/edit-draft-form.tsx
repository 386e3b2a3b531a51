"use client";

import { type FormEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { NewPlace } from "#components/accounts/new-place.tsx";
import { SectionField } from "#components/accounts/section-field.tsx";
import { boardLabel, RetryBoards, useBoards } from "#components/accounts/use-boards.tsx";
import { SuggestText } from "#components/generation/suggest-text.tsx";
import { LinkWarning } from "#components/shared/status-chip.tsx";
import { Button } from "#components/ui/button.tsx";
import { FieldNote } from "#components/ui/field.tsx";
import { focusFirst } from "#components/ui/focus-first.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { type LeaveGuard, useLeaveGuard } from "#components/ui/use-leave-guard.ts";
import { callAction } from "#lib/client/api.ts";
import { TEXTS as SUGGESTIONS } from "#lib/features/generation/constants.ts";
import { editDraftAction } from "#lib/features/pins/actions.ts";
import { ALT_TEXT_MAX, DESCRIPTION_MAX, LINK_MAX, TITLE_MAX } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value.replaceAll("\r\n", "\n") : "";
};

/** The edit in the form. Leaves out an unchanged place, so that a deleted board does not block saving. */
const toEdit = (pin: PinWire, form: FormData) => {
  const boardId = textOf(form, "boardId") || pin.board_id;
  const boardSectionId = textOf(form, "boardSectionId") || null;
  const isMoved = boardId !== pin.board_id || boardSectionId !== pin.board_section_id;
  return {
    pinId: pin.id,
    title: textOf(form, "title"),
    description: textOf(form, "description"),
    link: textOf(form, "link").trim() || null,
    altText: textOf(form, "altText"),
    ...(isMoved && { boardId, boardSectionId }),
  };
};

/** What the form holds; without `boardId`, the pin keeps its board. */
export type DraftEdit = ReturnType<typeof toEdit>;

/** Whether the form has unsaved changes. */
const isEdited = (pin: PinWire, form: FormData): boolean => {
  const edit = toEdit(pin, form);
  return (
    edit.title !== pin.title ||
    edit.description !== pin.description ||
    edit.link !== pin.url ||
    edit.altText !== pin.alt_text ||
    "boardId" in edit
  );
};

export interface EditGuard extends LeaveGuard {
  /** Null while the form is closed. */
  form: RefObject<HTMLFormElement | null>;
}

/** Asks before unsaved changes to a pin are discarded. */
export const useEditGuard = (pin: PinWire | null, onLeave: () => void): EditGuard => {
  const form = useRef<HTMLFormElement>(null);
  const guard = useLeaveGuard({
    // The form closes without a question when its pin leaves the list.
    isOpen: pin !== null,
    isDirty: () => pin !== null && form.current !== null && isEdited(pin, new FormData(form.current)),
    onLeave,
  });
  return { form, ...guard };
};

/** Returns the focus to the opener when the form closes. */
export const useFocusAfterEdit = (isEditing: boolean, opener: () => HTMLElement | null | undefined): void => {
  const wasEditing = useRef(isEditing);
  const giveBack = useEffectEvent(() => opener()?.focus());
  useEffect(() => {
    if (wasEditing.current && !isEditing) giveBack();
    wasEditing.current = isEditing;
  }, [isEditing]);
};

type EditDraftFormProps = {
  pin: PinWire;
  formRef: RefObject<HTMLFormElement | null>;
  /** Called with each change, for a preview. */
  onEdit?: (edit: DraftEdit) => void;
  onDone: () => void;
  onCancel: () => void;
};

type BoardFieldProps = {
  pin: PinWire;
  error: string | undefined;
  sectionError: string | undefined;
  onCreated: (boardId: string) => void;
};

function BoardField({ pin, error, sectionError, onCreated }: BoardFieldProps) {
  const boards = useBoards(pin.account_id);
  const { items, isLoading, problem } = boards;
  const field = useRef<HTMLSelectElement>(null);
  const [{ boardId, sectionId }, setPlace] = useState({ boardId: pin.board_id, sectionId: pin.board_section_id });
  const setBoardId = (id: string) => setPlace({ boardId: id, sectionId: null });
  const setSectionId = (id: string | null) => setPlace({ boardId, sectionId: id });
  const isKnown = items?.some(({ id }) => id === boardId) ?? false;
  return (
    <>
      <SelectField
        ref={field}
        label="Board"
        name="boardId"
        value={isKnown ? boardId : ""}
        disabled={!items || items.length === 0}
        aria-busy={isLoading}
        error={problem ?? error}
        onChange={(event) => setBoardId(event.target.value)}
      >
        {!isKnown && <option value="">{isLoading ? "Loading boards" : "Keep current board"}</option>}
        {items?.map((board) => (
          <option key={board.id} value={board.id}>
            {boardLabel(board)}
          </option>
        ))}
      </SelectField>
      <RetryBoards boards={boards} focusAfter={() => field.current} />
      <SectionField
        accountId={pin.account_id}
        boardId={isKnown ? boardId : null}
        value={sectionId}
        error={sectionError}
        onChange={setSectionId}
      />
      <input type="hidden" name="boardSectionId" value={sectionId ?? ""} />
      <NewPlace
        boards={boards}
        boardId={boardId}
        onBoard={(id) => {
          setBoardId(id);
          onCreated(id);
        }}
        onSection={setSectionId}
      />
    </>
  );
}

/** Edits text, board and link of a pin. Takes the focus on opening and keeps the input when the server rejects it. */
export function EditDraftForm({ pin, formRef, onEdit, onDone, onCancel }: EditDraftFormProps) {
  const [isBusy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Record<string, string[]>>({});
  const [formProblem, setFormProblem] = useState<string | null>(null);
  const [rejections, setRejections] = useState(0);
  useEffect(() => focusFirst(formRef.current), [formRef]);
  useEffect(() => {
    if (rejections > 0) formRef.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [formRef, rejections]);

  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    if (isBusy) return;
    setBusy(true);
    const answer = await callAction(editDraftAction(toEdit(pin, form)));
    setBusy(false);
    if (answer.ok) return onDone();
    setProblems(answer.fields ?? {});
    setFormProblem(answer.fields ? null : answer.text);
    setRejections((count) => count + 1);
  };

  return (
    <form
      ref={formRef}
      className="grid min-w-0 content-start gap-4"
      onSubmit={save}
      onInput={({ currentTarget }) => onEdit?.(toEdit(pin, new FormData(currentTarget)))}
      noValidate
      aria-label="Edit pin"
    >
      <TextField
        label="Title"
        name="title"
        aside={<SuggestText pinId={pin.id} part="title" />}
        defaultValue={pin.title}
        maxLength={TITLE_MAX}
        error={problems.title?.[0]}
        fieldClassName="in-[.pin-details]:md:pr-10"
      />
      <TextAreaField
        label="Description"
        name="description"
        aside={<SuggestText pinId={pin.id} part="description" />}
        hint={SUGGESTIONS.suggestionsFree}
        rows={6}
        defaultValue={pin.description}
        maxLength={DESCRIPTION_MAX}
        error={problems.description?.[0]}
      />
      <TextField
        label="Link"
        name="link"
        type="url"
        inputMode="url"
        placeholder="https://"
        defaultValue={pin.url ?? ""}
        maxLength={LINK_MAX}
        error={problems.link?.[0]}
      />
      <LinkWarning pin={pin} />
      <BoardField
        pin={pin}
        error={problems.boardId?.[0]}
        sectionError={problems.boardSectionId?.[0]}
        onCreated={(boardId) => {
          if (formRef.current) onEdit?.({ ...toEdit(pin, new FormData(formRef.current)), boardId });
        }}
      />
      <TextAreaField
        label="Alt text"
        name="altText"
        hint="Describe the image for people who can't see it."
        rows={2}
        defaultValue={pin.alt_text}
        maxLength={ALT_TEXT_MAX}
        error={problems.altText?.[0]}
      />
      {formProblem && (
        <FieldNote role="alert" isError>
          {formProblem}
        </FieldNote>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Save
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
