"use client";

import { type FormEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { BoardsAgain, boardLabel, useBoards } from "#components/accounts/boards.tsx";
import { SuggestWords } from "#components/generation/suggest-words.tsx";
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
import type { PostWire } from "#lib/features/pins/schema.ts";

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value.replaceAll("\r\n", "\n") : "";
};

/** What the form says; a board that was not changed is not named, so that one that is gone holds nothing up. */
const toEdit = (post: PostWire, form: FormData) => {
  const boardId = textOf(form, "boardId");
  return {
    pinId: post.id,
    title: textOf(form, "title"),
    description: textOf(form, "description"),
    link: textOf(form, "link").trim() || null,
    altText: textOf(form, "altText"),
    ...(boardId !== "" && boardId !== post.board_id && { boardId }),
  };
};

/** Whether the form says anything else than the draft does: what would be lost with it. */
const isEdited = (post: PostWire, form: FormData): boolean => {
  const edit = toEdit(post, form);
  return (
    edit.title !== post.title ||
    edit.description !== post.description ||
    edit.link !== post.url ||
    edit.altText !== post.alt_text ||
    "boardId" in edit
  );
};

/** Between a draft's form and whatever closes it. */
export interface EditGuard extends LeaveGuard {
  /** The form, while there is one. */
  form: RefObject<HTMLFormElement | null>;
}

/** Words typed into a draft's form are given up only by somebody who says so (R-POST-07, D9). */
export const useEditGuard = (post: PostWire | null, onLeave: () => void): EditGuard => {
  const form = useRef<HTMLFormElement>(null);
  const guard = useLeaveGuard({
    // A draft that went elsewhere meanwhile has taken its form along.
    isThere: post !== null,
    isEdited: () => post !== null && form.current !== null && isEdited(post, new FormData(form.current)),
    onLeave,
  });
  return { form, ...guard };
};

/** The form goes, and the focus inside it back to what opened it. */
export const useFocusAfterEdit = (isEditing: boolean, opener: () => HTMLElement | null | undefined): void => {
  const wasEditing = useRef(isEditing);
  const giveBack = useEffectEvent(() => opener()?.focus());
  useEffect(() => {
    if (wasEditing.current && !isEditing) giveBack();
    wasEditing.current = isEditing;
  }, [isEditing]);
};

type EditDraftFormProps = {
  post: PostWire;
  formRef: RefObject<HTMLFormElement | null>;
  onDone: () => void;
  onCancel: () => void;
};

/** The board of a draft among the account's, read live from Pinterest. */
function BoardField({ post, error }: { post: PostWire; error: string | undefined }) {
  const boards = useBoards(post.account_id);
  const { items, isLoading, problem } = boards;
  const field = useRef<HTMLSelectElement>(null);
  const [boardId, setBoardId] = useState(post.board_id);
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
        {!isKnown && <option value="">{isLoading ? "Loading boards" : "As it is"}</option>}
        {items?.map((board) => (
          <option key={board.id} value={board.id}>
            {boardLabel(board)}
          </option>
        ))}
      </SelectField>
      <BoardsAgain boards={boards} focusAfter={() => field.current} />
    </>
  );
}

/** Words, board and link of a draft; the focus comes along. What was typed stays when the server refuses it. */
export function EditDraftForm({ post, formRef, onDone, onCancel }: EditDraftFormProps) {
  const [isBusy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Record<string, string[]>>({});
  const [refusal, setRefusal] = useState<string | null>(null);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => focusFirst(formRef.current), [formRef]);
  useEffect(() => {
    if (refusals > 0) formRef.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [formRef, refusals]);

  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    if (isBusy) return;
    setBusy(true);
    const answer = await callAction(editDraftAction(toEdit(post, form)));
    setBusy(false);
    if (answer.ok) return onDone();
    setProblems(answer.fields ?? {});
    setRefusal(answer.fields ? null : answer.text);
    setRefusals((count) => count + 1);
  };

  return (
    <form ref={formRef} className="grid min-w-0 content-start gap-4" onSubmit={save} noValidate aria-label="Edit pin">
      <TextField
        label="Title"
        name="title"
        aside={<SuggestWords pinId={post.id} part="title" />}
        defaultValue={post.title}
        maxLength={TITLE_MAX}
        error={problems.title?.[0]}
        fieldClassName="in-[.pin-details]:md:pr-10"
      />
      <TextAreaField
        label="Description"
        name="description"
        aside={<SuggestWords pinId={post.id} part="description" />}
        hint={SUGGESTIONS.suggestionsFree}
        rows={6}
        defaultValue={post.description}
        maxLength={DESCRIPTION_MAX}
        error={problems.description?.[0]}
      />
      <TextField
        label="Link"
        name="link"
        type="url"
        inputMode="url"
        placeholder="https://"
        defaultValue={post.url ?? ""}
        maxLength={LINK_MAX}
        error={problems.link?.[0]}
      />
      <LinkWarning post={post} />
      <BoardField post={post} error={problems.boardId?.[0]} />
      <TextAreaField
        label="For people who cannot see it"
        name="altText"
        hint="What the picture shows, in a sentence. Screen readers read it."
        rows={2}
        defaultValue={post.alt_text}
        maxLength={ALT_TEXT_MAX}
        error={problems.altText?.[0]}
      />
      {refusal && (
        <FieldNote role="alert" isError>
          {refusal}
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
