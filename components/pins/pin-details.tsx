"use client";

import { useEffect, useState } from "react";
import { EditDraftForm } from "#components/pins/edit-draft-form.tsx";
import { Pin } from "#components/pins/pin.tsx";
import { PinFace } from "#components/pins/pin-face.tsx";
import { Receipt } from "#components/pins/receipt.tsx";
import { StatusChip } from "#components/pins/status-chip.tsx";
import type { PinActions } from "#components/pins/use-pin-actions.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { httpUrl } from "#lib/core/paths.ts";
import { formatDateTime } from "#lib/core/time.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

type PinDetailsProps = {
  isOpen: boolean;
  /** Null when the pin is no longer in the list: the dialog closes. */
  post: PostWire | null;
  timeZone: string;
  actions: PinActions;
  onClose: () => void;
};

function Facts({ post, timeZone }: { post: PostWire; timeZone: string }) {
  const link = post.url === null ? null : httpUrl(post.url);
  const times = [
    ["Created", post.created_at],
    ["Scheduled", post.scheduled_at],
    ["Published", post.published_at],
  ] as const;
  return (
    <dl className="num">
      {post.keyword && (
        <>
          <dt>Keyword</dt>
          <dd>{post.keyword}</dd>
        </>
      )}
      {link && (
        <>
          <dt>Link</dt>
          <dd>
            <a className="link" href={link} target="_blank" rel="noreferrer">
              {post.url}
            </a>
          </dd>
        </>
      )}
      {times.map(([label, at]) =>
        at === null ? null : (
          <div key={label} className="contents">
            <dt>{label}</dt>
            <dd>{formatDateTime(at, timeZone)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function DetailActions({
  post,
  actions,
  onEdit,
  onClose,
}: Omit<PinDetailsProps, "timeZone" | "post" | "isOpen"> & { post: PostWire; onEdit: () => void }) {
  const isBusy = actions.busyPinId === post.id;
  const then = async (done: Promise<boolean>) => {
    if (await done) onClose();
  };
  return (
    <div className="flex flex-wrap gap-2 pt-1">
      {(post.status === "draft" || post.status === "failed") && <Button onClick={onEdit}>Edit</Button>}
      {post.status === "scheduled" && (
        <Button isBusy={isBusy} onClick={() => then(actions.unschedule(post))}>
          Unschedule
        </Button>
      )}
      {post.status === "failed" && (
        <Button variant="primary" isBusy={isBusy} onClick={() => then(actions.retry(post))}>
          Try again
        </Button>
      )}
      {post.pinterest_url && (
        <a className={buttonClass({ variant: "primary" })} href={post.pinterest_url} target="_blank" rel="noreferrer">
          View on Pinterest
        </a>
      )}
      {(post.status === "draft" || post.status === "failed") && (
        <Button variant="danger-quiet" isBusy={isBusy} onClick={() => then(actions.remove(post))}>
          Delete
        </Button>
      )}
    </div>
  );
}

/** Pin Details: closed by Escape, by the backdrop and by X (R-POST-07). */
export function PinDetails({ isOpen, post, timeZone, actions, onClose }: PinDetailsProps) {
  const [isEditing, setEditing] = useState(false);
  const close = () => {
    setEditing(false);
    onClose();
  };
  // A pin that left the list (published, moved to another tab) takes its details with it, for good.
  useEffect(() => {
    if (!isOpen || post) return;
    setEditing(false);
    onClose();
  }, [isOpen, post, onClose]);
  return (
    <Dialog isOpen={isOpen && post !== null} onClose={close} title="Pin Details" isTitleHidden isWide hasCloseButton>
      {post && (
        <div className="pin-details">
          <Pin state={post.status} hasTack={false}>
            <PinFace src={post.image_url} alt={post.alt_text || post.title} isEager />
          </Pin>
          {isEditing ? (
            <EditDraftForm
              post={post}
              onDone={() => {
                setEditing(false);
                actions.reload();
              }}
              onCancel={() => setEditing(false)}
            />
          ) : (
            <div className="grid min-w-0 gap-4">
              <div className="grid justify-items-start gap-2.5 pr-10">
                <StatusChip state={post.status} />
                <p className="title-2">{post.title}</p>
              </div>
              {post.reason && <Banner tone={post.status === "failed" ? "failed" : "plain"}>{post.reason}</Banner>}
              {post.check_url && (
                <a className="link text-sm" href={post.check_url} target="_blank" rel="noreferrer">
                  Check your profile on Pinterest
                </a>
              )}
              <p className="text-ui leading-relaxed text-ink-2 whitespace-pre-line">{post.description}</p>
              <Facts post={post} timeZone={timeZone} />
              <Receipt key={`${post.id} ${post.status}`} post={post} timeZone={timeZone} />
              <DetailActions post={post} actions={actions} onEdit={() => setEditing(true)} onClose={close} />
            </div>
          )}
        </div>
      )}
    </Dialog>
  );
}
