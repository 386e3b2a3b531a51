import type { PostWire } from "#lib/features/pins/schema.ts";

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value.replaceAll("\r\n", "\n") : "";
};

/** What the form says; a board that was not changed is not named, so that one that is gone holds nothing up. */
export const toEdit = (post: PostWire, form: FormData) => {
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
export const isEdited = (post: PostWire, form: FormData): boolean => {
  const edit = toEdit(post, form);
  return (
    edit.title !== post.title ||
    edit.description !== post.description ||
    edit.link !== post.url ||
    edit.altText !== post.alt_text ||
    "boardId" in edit
  );
};
