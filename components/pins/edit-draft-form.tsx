"use client";

import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { BoardsAgain } from "#components/accounts/boards-again.tsx";
import { boardLabel, useBoards } from "#components/accounts/use-boards.ts";
import { SuggestWords } from "#components/generation/suggest-words.tsx";
import { toEdit } from "#components/pins/draft-edit.ts";
import { LinkWarning } from "#components/pins/link-warning.tsx";
import { Button } from "#components/ui/button.tsx";
import { focusFirst } from "#components/ui/focus-first.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { TEXTS as SUGGESTIONS } from "#lib/features/generation/constants.ts";
import { editDraftAction } from "#lib/features/pins/actions.ts";
import { ALT_TEXT_MAX, DESCRIPTION_MAX, LINK_MAX, TITLE_MAX } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

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
        <p role="alert" className="field-error">
          {refusal}
        </p>
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
