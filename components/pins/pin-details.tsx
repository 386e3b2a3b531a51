"use client";

import { useEffect, useId, useRef, useState } from "react";
import { type Boards, useBoards } from "#components/accounts/boards.tsx";
import { RemakePicture } from "#components/generation/remake-part.tsx";
import { Pin, PinFace } from "#components/shared/pin.tsx";
import { StatusChip } from "#components/shared/status-chip.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { TEMPLATES } from "#lib/features/branding/constants.ts";
import { readPostAction } from "#lib/features/pins/actions.ts";
import type { AttemptWire, PostWire } from "#lib/features/pins/schema.ts";
import { EditDraftForm, type EditGuard, useEditGuard, useFocusAfterEdit } from "./edit-draft-form.tsx";
import { LinkCheck } from "./link-check.tsx";
import { PinCommands } from "./pin-commands.tsx";
import type { PinActions } from "./use-pin-actions.ts";

const SOURCES = { ai: "Made with AI", manual: "Your own" } as const;

const templateOf = ({ template_id }: PostWire): string | null => {
  const known = Object.entries(TEMPLATES).find(([name]) => name === template_id);
  return known ? known[1].label : null;
};

/** A board's name; the board may be gone, and Pinterest may not answer. */
const boardText = ({ items, isLoading }: Boards, boardId: string): string => {
  if (isLoading) return "Loading";
  if (!items) return "Not to be read right now";
  return items.find(({ id }) => id === boardId)?.name ?? "No longer there";
};

type PinFactsProps = { post: PostWire; boards: Boards; timeZone: string };

/** Where a pin leads, hangs and comes from, and its times. */
function PinFacts({ post, boards, timeZone }: PinFactsProps) {
  const link = post.url === null ? null : httpUrl(post.url);
  const when = (at: string | null) => at && formatDateTime(at, timeZone);
  const facts = [
    ["Board", boardText(boards, post.board_id)],
    ["Keyword", post.keyword],
    ["Picture", SOURCES[post.source]],
    ["Template", templateOf(post)],
    ["Created", when(post.created_at)],
    ["Scheduled", when(post.scheduled_at)],
    ["Published", when(post.published_at)],
  ] as const;
  return (
    <dl className="num">
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
      {facts.map(([label, text]) =>
        text === null ? null : (
          <div key={label} className="contents">
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

const VIEWS = [
  { value: "picture", label: "Picture" },
  { value: "feed", label: "Feed" },
  { value: "close_up", label: "Close-up" },
] as const;
type View = (typeof VIEWS)[number]["value"];

type ShownProps = {
  post: PostWire;
  /** Of the account that publishes it. */
  username: string;
  boardName: string;
};

const hostOf = (url: string | null): string | null => {
  const link = url === null ? null : httpUrl(url);
  return link && new URL(link).hostname.replace(/^www\./, "");
};

function Author({ username, children }: { username: string; children?: string }) {
  return (
    <p
      className={cn(
        "flex items-center gap-2 min-w-0 text-xs/[1.3] text-ink-2",
        "[&>span:first-child]:size-6 [&>span:first-child]:grid [&>span:first-child]:flex-none",
        "[&>span:first-child]:place-items-center [&>span:first-child]:rounded-full",
        "[&>span:first-child]:bg-accent-tint [&>span:first-child]:text-accent-ink",
        "[&>span:first-child]:font-semibold",
        "[&_small]:block [&_small]:text-[inherit] [&_small]:text-ink-3 [&_small]:overflow-hidden",
        "[&_small]:text-ellipsis",
      )}
    >
      <span aria-hidden="true">{username.slice(0, 1).toUpperCase()}</span>
      <span className="min-w-0 truncate">
        {username}
        {children && <small>{children}</small>}
      </span>
    </p>
  );
}

/** One tile among others: the picture, two lines of its title, and whose it is. */
function FeedTile({ post, username }: ShownProps) {
  return (
    <div
      data-slot="preview-feed"
      className={cn(
        "[&_.pin-face]:shadow-none",
        "grid grid-cols-[30px_minmax(0,1fr)_30px] gap-3 py-4 px-0 rounded-[16px] bg-page",
        "shadow-[inset_0_0_0_1px_var(--line)] overflow-hidden",
      )}
    >
      <div
        aria-hidden="true"
        className={cn(
          "grid grid-rows-[1.1fr_0.7fr_1fr] gap-3 last:grid-rows-[0.6fr_1.2fr_0.8fr]",
          "[&_i]:rounded-[0_14px_14px_0] [&_i]:bg-(--skeleton) last:[&_i]:rounded-[14px_0_0_14px]",
        )}
      >
        <i />
        <i />
        <i />
      </div>
      <div data-slot="preview-tile" className="grid gap-[7px] min-w-0">
        <PinFace src={post.image_url} alt={post.alt_text || post.title} isEager />
        <p className="line-clamp-2 text-sm/[1.3] font-[550] wrap-anywhere">{post.title}</p>
        <Author username={username} />
      </div>
      <div
        aria-hidden="true"
        className={cn(
          "grid grid-rows-[1.1fr_0.7fr_1fr] gap-3 last:grid-rows-[0.6fr_1.2fr_0.8fr]",
          "[&_i]:rounded-[0_14px_14px_0] [&_i]:bg-(--skeleton) last:[&_i]:rounded-[14px_0_0_14px]",
        )}
      >
        <i />
        <i />
        <i />
      </div>
    </div>
  );
}

/** The pin opened: where it leads, all of its words, and the board it is kept on. */
function CloseUp({ post, username, boardName }: ShownProps) {
  const host = hostOf(post.url);
  return (
    <div
      data-slot="preview-close-up"
      className={cn(
        "[&_.pin-face]:rounded-t-[20px] [&_.pin-face]:rounded-b-none [&_.pin-face]:shadow-none",
        "rounded-[20px] bg-page shadow-[inset_0_0_0_1px_var(--line),var(--shadow-card)] overflow-hidden",
      )}
    >
      <PinFace src={post.image_url} alt={post.alt_text || post.title} isEager />
      <div className="grid gap-[9px] pt-3.5 pb-4 px-4">
        <p className="text-sm text-ink-2 wrap-anywhere">
          {host === null ? <span className="text-ink-3">No link: a press leads nowhere</span> : host}
        </p>
        <p className="text-lead/[1.25] font-semibold wrap-anywhere">{post.title}</p>
        <p className="line-clamp-3 text-sm/[1.45] text-ink-2 whitespace-pre-line wrap-anywhere">{post.description}</p>
        <Author username={username}>{`kept on ${boardName}`}</Author>
      </div>
    </div>
  );
}

/** A pin's picture, and how it looks on Pinterest in a feed and opened. Drawn by us: what counts is what is cut off. */
function PinPreview(props: ShownProps) {
  const { post } = props;
  const [view, setView] = useState<View>("picture");
  const id = useId();
  return (
    <div
      data-slot="pin-preview"
      className={cn(
        "grid min-w-0 content-start gap-3.5 [&>div]:min-w-0 [&_.pin-face]:aspect-auto [&_.pin-face_img]:h-auto",
        post.status === "failed" && view === "picture" && "gap-7.5",
        "max-md:[&>div]:w-[min(250px,100%)] max-md:[&>div]:mx-auto",
      )}
    >
      <div id={id}>
        {view === "picture" && (
          <Pin state={post.status} hasTack={false}>
            <PinFace src={post.image_url} alt={post.alt_text || post.title} isEager />
          </Pin>
        )}
        {view === "feed" && <FeedTile {...props} />}
        {view === "close_up" && <CloseUp {...props} />}
      </div>
      <Segment label="Show it as" isLabelHidden options={VIEWS} value={view} onChange={setView} />
    </div>
  );
}

const OUTCOMES: Record<string, string> = {
  created: "Published",
  found: "Published, found on the board",
  absent: "Not on the board: one more attempt follows",
  rejected: "Refused",
  later: "To be tried later",
  unclear: "Unclear",
  abandoned: "Not sent",
};

const wordOf = (attempt: AttemptWire): string =>
  attempt.outcome === null ? "In progress" : (OUTCOMES[attempt.outcome] ?? attempt.outcome);

function AttemptLine({ attempt, timeZone }: { attempt: AttemptWire; timeZone: string }) {
  return (
    <li>
      <p className="font-semibold text-ink">
        {attempt.number}. {wordOf(attempt)}
      </p>
      <p className="num text-ink-3">
        {attempt.called_at ? `Sent ${formatDateTime(attempt.called_at, timeZone)}` : "Nothing was sent"}
        {attempt.http_status !== null && `, answer ${attempt.http_status}`}
        {attempt.looks > 0 && `, board searched ${attempt.looks} ${attempt.looks === 1 ? "time" : "times"}`}
      </p>
      {[attempt.problem, attempt.note].map((text) => text && <p key={text}>{text}</p>)}
    </li>
  );
}

/** The receipt of a pin: every attempt, when it was sent, what came of it. */
function Receipt({ post, timeZone }: { post: PostWire; timeZone: string }) {
  const { data, error } = useApiQuery(post.status === "draft" ? null : queryKeys.receipt(post.id), () =>
    actionValue(readPostAction({ pinId: post.id })),
  );
  if (error !== null) return <p className="text-xs text-failed-ink">The receipt could not be loaded.</p>;
  if (!data || data.attempts.length === 0) return null;
  return (
    <section
      className={cn(
        "grid gap-2.5 mt-2 py-3.5 px-4 rounded-[10px] bg-well shadow-[inset_0_0_0_1px_var(--line)]",
        "text-xs/[1.5]",
      )}
      aria-label="Receipt"
    >
      <ol className="grid gap-2.5" reversed>
        {data.attempts.map((attempt) => (
          <AttemptLine key={attempt.number} attempt={attempt} timeZone={timeZone} />
        ))}
      </ol>
    </section>
  );
}

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
    <div
      ref={content}
      className={cn(
        "pin-details grid max-md:[&_.pin]:mx-auto max-md:[&_.pin]:max-w-47.5 [&_.title-2]:wrap-anywhere grid-cols-[minmax(0,300px)_minmax(0,1fr)] gap-8 items-start",
        "max-md:grid-cols-1 max-md:gap-5.5",
        "[&_dl]:grid [&_dl]:grid-cols-[auto_minmax(0,1fr)] [&_dl]:gap-y-2 [&_dl]:gap-x-4.5",
        "[&_dl]:text-sm/[1.45] [&_dt]:text-ink-3 [&_dd]:wrap-anywhere",
      )}
    >
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
      width="lg"
      hasCloseButton
    >
      {post && (
        <Content {...rest} post={post} guard={guard} isEditing={isEditing} onEditing={setEditing} onClose={close} />
      )}
      <DiscardDialog guard={guard}>What you changed in this draft has not been saved.</DiscardDialog>
    </Dialog>
  );
}
