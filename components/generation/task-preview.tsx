"use client";

import { boardNameOf, useBoards } from "#components/accounts/use-boards.tsx";
import { PinPreview } from "#components/shared/pin-preview.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import type { TaskWire } from "#lib/features/generation/schema.ts";
import { FromPage } from "./from-page.tsx";

type ContentProps = {
  task: TaskWire;
  /** Of the account that will publish it. */
  username: string;
  accountId: string | null;
  boardId: string | null;
};

function Content({ task, username, accountId, boardId }: ContentProps) {
  const boards = useBoards(accountId);
  return (
    <div className="grid gap-4">
      <PinPreview
        label="Preview"
        pin={{
          title: task.title ?? "",
          description: task.description ?? "",
          link: task.url,
          altText: "",
          imageUrl: task.image_url,
          username,
          boardName: boardId === null ? null : boardNameOf(boards, boardId),
        }}
      />
      {task.page && <FromPage page={task.page} />}
    </div>
  );
}

type TaskPreviewProps = Omit<ContentProps, "task"> & {
  /** Null closes the dialog. */
  task: TaskWire | null;
  onClose: () => void;
};

/** A pin that is being generated, as Pinterest will show it. It fills in while the dialog is open. */
export function TaskPreview({ task, onClose, ...rest }: TaskPreviewProps) {
  return (
    <Dialog isOpen={task !== null} onClose={onClose} title="Preview" width="md" hasCloseButton>
      <div className="mt-4">{task && <Content {...rest} task={task} />}</div>
    </Dialog>
  );
}
