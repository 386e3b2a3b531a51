"use client";

import { useEffect, useRef, useState } from "react";
import { useBoards } from "#components/accounts/use-boards.ts";
import { RemakePicture } from "#components/generation/remake-part.tsx";
import { EditDraftForm } from "#components/pins/edit-draft-form.tsx";
import { LinkCheck } from "#components/pins/link-check.tsx";
import { PinCommands } from "#components/pins/manage/pin-commands.tsx";
import { boardText, PinFacts } from "#components/pins/manage/pin-facts.tsx";
import { PinPreview } from "#components/pins/manage/pin-preview.tsx";
import { Receipt } from "#components/pins/receipt.tsx";
import { StatusChip } from "#components/pins/status-chip.tsx";
import { type EditGuard, useEditGuard } from "#components/pins/use-edit-guard.ts";
import { useFocusAfterEdit } from "#components/pins/use-focus-after-edit.ts";
import type { PinActions } from "#components/pins/use-pin-actions.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import type { PostWire } from "#lib/features/pins/schema.ts";

type PinDetailsProps = {
  isOpen: boolean;
  /** Null when the pin is no longer in the list: the dialog closes. */
  post: PostWire | null;
  /** Of the account that publishes it. */
  username: string;
  timeZone: string;
  actions: PinActions;
  onClose: () => void;
};

type ContentProps = Omit<PinDetailsProps, "isOpen" | "post"> & {
  post: PostWire;
  guard: EditGuard;
  isEditing: boolean;
  onEditing: (isEditing: boolean) => void;
};

function News({ post }: { post: PostWire }) {
  return (
    <>
      {post.reason && <Banner tone={post.status === "failed" ? "failed" : "plain"}>{post.reason}</Banner>}
      {post.check_url && (
        <a className="link text-sm" href={post.check_url} target="_blank" rel="noreferrer">
          Check your profile on Pinterest
        </a>
      )}
    </>
  );
}

function Content({ post, username, timeZone, actions, guard, isEditing, onEditing, onClose }: ContentProps) {
  const boards = useBoards(post.account_id);
  const boardName = boardText(boards, post.board_id);
  const content = useRef<HTMLDivElement>(null);
  useFocusAfterEdit(isEditing, () => content.current?.querySelector<HTMLElement>("[data-opens-edit]"));
  return (
    <div ref={content} className="pin-details">
      <PinPreview post={post} username={username} boardName={boardName} />
      {isEditing ? (
        <EditDraftForm
          post={post}
          formRef={guard.form}
          onDone={() => {
            onEditing(false);
            actions.reload();
          }}
          onCancel={() => onEditing(false)}
        />
      ) : (
        <div className="grid min-w-0 gap-4">
          <div className="grid justify-items-start gap-2.5 pr-10">
            <StatusChip state={post.status} />
            <p className="title-2">{post.title}</p>
          </div>
          <News post={post} />
          <p className="text-ui leading-relaxed text-ink-2 whitespace-pre-line wrap-anywhere">{post.description}</p>
          <PinFacts post={post} boards={boards} timeZone={timeZone} />
          <LinkCheck key={`link ${post.id}`} post={post} />
          <RemakePicture key={`picture ${post.id}`} post={post} onChanged={actions.reload} />
          <Receipt key={`${post.id} ${post.status}`} post={post} timeZone={timeZone} />
          <PinCommands
            key={`commands ${post.id}`}
            post={post}
            username={username}
            boardName={boardName}
            timeZone={timeZone}
            actions={actions}
            onEdit={() => onEditing(true)}
            onClose={onClose}
          />
        </div>
      )}
    </div>
  );
}

/** Pin Details: closed by Escape, by the backdrop and by X (R-POST-07); words typed into it are asked about first. */
export function PinDetails({ isOpen, post, onClose, ...rest }: PinDetailsProps) {
  const [isEditing, setEditing] = useState(false);
  const close = () => {
    setEditing(false);
    onClose();
  };
  const guard = useEditGuard(post, close);
  // A pin that left the list (published, moved to another tab) takes its details with it, for good.
  useEffect(() => {
    if (!isOpen || post) return;
    setEditing(false);
    onClose();
  }, [isOpen, post, onClose]);
  return (
    <Dialog
      isOpen={isOpen && post !== null}
      onClose={guard.leave}
      title="Pin Details"
      isTitleHidden
      isWide
      hasCloseButton
    >
      {post && (
        <Content {...rest} post={post} guard={guard} isEditing={isEditing} onEditing={setEditing} onClose={close} />
      )}
      <DiscardDialog guard={guard}>What you changed in this draft has not been saved.</DiscardDialog>
    </Dialog>
  );
}
