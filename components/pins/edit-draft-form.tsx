"use client";

import { type FormEvent, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { editDraftAction } from "#lib/features/pins/actions.ts";
import { DESCRIPTION_MAX, LINK_MAX, TITLE_MAX } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

type EditDraftFormProps = { post: PostWire; onDone: () => void; onCancel: () => void };

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
};

/** Title, description and link of a draft. What was typed stays when the server refuses it. */
export function EditDraftForm({ post, onDone, onCancel }: EditDraftFormProps) {
  const [isBusy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Record<string, string[]>>({});
  const [refusal, setRefusal] = useState<string | null>(null);

  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    if (isBusy) return;
    setBusy(true);
    const answer = await callAction(
      editDraftAction({
        pinId: post.id,
        title: textOf(form, "title"),
        description: textOf(form, "description"),
        link: textOf(form, "link").trim() || null,
      }),
    );
    setBusy(false);
    if (answer.ok) return onDone();
    setProblems(answer.fields ?? {});
    setRefusal(answer.fields ? null : answer.text);
  };

  return (
    <form className="grid gap-4" onSubmit={save} noValidate aria-label="Edit pin">
      <TextField
        label="Title"
        name="title"
        defaultValue={post.title}
        maxLength={TITLE_MAX}
        error={problems.title?.[0]}
        fieldClassName="pr-10"
      />
      <TextAreaField
        label="Description"
        name="description"
        rows={7}
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
