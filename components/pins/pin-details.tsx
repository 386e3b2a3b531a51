"use client";

import { useEffect, useId, useRef, useState } from "react";
import { sectionNameOf, useSections } from "#components/accounts/section-field.tsx";
import { type Boards, useBoards } from "#components/accounts/use-boards.tsx";
import { RegenerateImage } from "#components/generation/regenerate-section.tsx";
import { PlanNotes } from "#components/planning/plan-notes.tsx";
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
import { readPinAction } from "#lib/features/pins/actions.ts";
import type { AttemptWire, PinWire } from "#lib/features/pins/schema.ts";
import { EditDraftForm, type EditGuard, useEditGuard, useFocusAfterEdit } from "./edit-draft-form.tsx";
import { LinkCheck } from "./link-check.tsx";
import { PinCommands } from "./pin-commands.tsx";
import type { PinActions } from "./use-pin-actions.ts";

const SOURCE_LABELS = { ai: "Made with AI", manual: "Uploaded by you" } as const;

const templateLabel = ({ template_id }: PinWire): string | null => {
  const known = Object.entries(TEMPLATES).find(([name]) => name === template_id);
  return known ? known[1].label : null;
};

/** A board's name, unless the board was deleted or Pinterest does not respond. */
const boardNameOf = ({ items, isLoading }: Boards, boardId: string): string => {
  if (isLoading) return "Loading";
  if (!items) return "Not available right now";
  return items.find(({ id }) => id === boardId)?.name ?? "Deleted board";
};

type PinFactsProps = { pin: PinWire; boards: Boards; timeZone: string };

function PinFacts({ pin, boards, timeZone }: PinFactsProps) {
  const link = pin.url === null ? null : httpUrl(pin.url);
  const sections = useSections(pin.account_id, pin.board_section_id && pin.board_id);
  const formatTime = (at: string | null) => at && formatDateTime(at, timeZone);
  const facts = [
    ["Board", boardNameOf(boards, pin.board_id)],
    ["Section", sectionNameOf(sections, pin.board_section_id)],
    ["Keyword", pin.keyword],
    ["Image", SOURCE_LABELS[pin.source]],
    ["Template", templateLabel(pin)],
    ["Created", formatTime(pin.created_at)],
    ["Scheduled", formatTime(pin.scheduled_at)],
    ["Published", formatTime(pin.published_at)],
  ] as const;
  return (
    <dl className="num">
      {link && (
        <>
          <dt>Link</dt>
          <dd>
            <a className="link" href={link} target="_blank" rel="noreferrer">
              {pin.url}
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
  { value: "image", label: "Image" },
  { value: "feed", label: "Feed" },
  { value: "close_up", label: "Close-up" },
] as const;
type View = (typeof VIEWS)[number]["value"];

type ShownProps = {
  pin: PinWire;
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

/** The pin as Pinterest shows it in a feed. */
function FeedTile({ pin, username }: ShownProps) {
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
        <PinFace src={pin.image_url} alt={pin.alt_text || pin.title} isEager />
        <p className="line-clamp-2 text-sm/[1.3] font-[550] wrap-anywhere">{pin.title}</p>
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

/** The pin as Pinterest shows it when opened. */
function CloseUp({ pin, username, boardName }: ShownProps) {
  const host = hostOf(pin.url);
  return (
    <div
      data-slot="preview-close-up"
      className={cn(
        "[&_.pin-face]:rounded-t-[20px] [&_.pin-face]:rounded-b-none [&_.pin-face]:shadow-none",
        "rounded-[20px] bg-page shadow-[inset_0_0_0_1px_var(--line),var(--shadow-card)] overflow-hidden",
      )}
    >
      <PinFace src={pin.image_url} alt={pin.alt_text || pin.title} isEager />
      <div className="grid gap-[9px] pt-3.5 pb-4 px-4">
        <p className="text-sm text-ink-2 wrap-anywhere">
          {host === null ? <span className="text-ink-3">No destination link</span> : host}
        </p>
        <p className="text-lead/[1.25] font-semibold wrap-anywhere">{pin.title}</p>
        <p className="line-clamp-3 text-sm/[1.45] text-ink-2 whitespace-pre-line wrap-anywhere">{pin.description}</p>
        <Author username={username}>{`saved to ${boardName}`}</Author>
      </div>
    </div>
  );
}

/** The image, and approximate Pinterest previews that show where texts are cut off. */
function PinPreview(props: ShownProps) {
  const { pin } = props;
  const [view, setView] = useState<View>("image");
  const id = useId();
  return (
    <div
      data-slot="pin-preview"
      className={cn(
        "grid min-w-0 content-start gap-3.5 [&>div]:min-w-0 [&_.pin-face]:aspect-auto [&_.pin-face_img]:h-auto",
        pin.status === "failed" && view === "image" && "gap-7.5",
        "max-md:[&>div]:w-[min(250px,100%)] max-md:[&>div]:mx-auto",
      )}
    >
      <div id={id}>
        {view === "image" && (
          <Pin state={pin.status} hasTack={false}>
            <PinFace src={pin.image_url} alt={pin.alt_text || pin.title} isEager />
          </Pin>
        )}
        {view === "feed" && <FeedTile {...props} />}
        {view === "close_up" && <CloseUp {...props} />}
      </div>
      <Segment label="Show it as" isLabelHidden options={VIEWS} value={view} onChange={setView} />
    </div>
  );
}

const OUTCOME_LABELS: Record<string, string> = {
  created: "Published",
  found: "Published: found on the board",
  absent: "Not found on the board. We’ll try once more.",
  rejected: "Rejected by Pinterest",
  later: "Will retry later",
  unclear: "Not confirmed by Pinterest",
  abandoned: "Not sent",
};

const outcomeText = (attempt: AttemptWire): string =>
  attempt.outcome === null ? "In progress" : (OUTCOME_LABELS[attempt.outcome] ?? attempt.outcome);

function AttemptLine({ attempt, timeZone }: { attempt: AttemptWire; timeZone: string }) {
  return (
    <li>
      <p className="font-semibold text-ink">
        {attempt.number}. {outcomeText(attempt)}
      </p>
      <p className="num text-ink-3">
        {attempt.called_at ? `Sent ${formatDateTime(attempt.called_at, timeZone)}` : "Nothing was sent"}
        {attempt.http_status !== null && `, Pinterest returned code ${attempt.http_status}`}
        {attempt.looks > 0 && `, board checked ${attempt.looks} ${attempt.looks === 1 ? "time" : "times"}`}
      </p>
      {[attempt.problem, attempt.note].map((text) => text && <p key={text}>{text}</p>)}
    </li>
  );
}

/** All attempts to publish a pin. */
function AttemptLog({ pin, timeZone }: { pin: PinWire; timeZone: string }) {
  const titleId = useId();
  const { data, error } = useApiQuery(pin.status === "draft" ? null : queryKeys.attempts(pin.id), () =>
    actionValue(readPinAction({ pinId: pin.id })),
  );
  if (error !== null)
    return (
      <p className="text-xs text-failed-ink">
        We couldn't load the publishing receipt. Close this pin and open it again.
      </p>
    );
  if (!data || data.attempts.length === 0) return null;
  return (
    <section
      className={cn(
        "grid gap-2.5 mt-2 py-3.5 px-4 rounded-[10px] bg-well shadow-[inset_0_0_0_1px_var(--line)]",
        "text-xs/[1.5]",
      )}
      aria-labelledby={titleId}
    >
      <h3 id={titleId} className="font-semibold text-ink-2">
        Publishing receipt
      </h3>
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
  /** Null when the pin is no longer in the list, which closes the dialog. */
  pin: PinWire | null;
  /** Of the account that publishes it. */
  username: string;
  timeZone: string;
  actions: PinActions;
  onClose: () => void;
};

type ContentProps = Omit<PinDetailsProps, "isOpen" | "pin"> & {
  pin: PinWire;
  guard: EditGuard;
  isEditing: boolean;
  onEditing: (isEditing: boolean) => void;
};

function PinNotices({ pin }: { pin: PinWire }) {
  return (
    <>
      {pin.reason && <Banner tone={pin.status === "failed" ? "failed" : "plain"}>{pin.reason}</Banner>}
      {pin.check_url && (
        <a className="link text-sm" href={pin.check_url} target="_blank" rel="noreferrer">
          Check your profile on Pinterest
        </a>
      )}
    </>
  );
}

function Content({ pin, username, timeZone, actions, guard, isEditing, onEditing, onClose }: ContentProps) {
  const boards = useBoards(pin.account_id);
  const boardName = boardNameOf(boards, pin.board_id);
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
      <PinPreview pin={pin} username={username} boardName={boardName} />
      {isEditing ? (
        <EditDraftForm
          pin={pin}
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
            <StatusChip state={pin.status} />
            <p className="title-2">{pin.title}</p>
          </div>
          <PinNotices pin={pin} />
          <p className="text-ui leading-relaxed text-ink-2 whitespace-pre-line wrap-anywhere">{pin.description}</p>
          <PinFacts pin={pin} boards={boards} timeZone={timeZone} />
          <LinkCheck key={`link ${pin.id}`} pin={pin} />
          <RegenerateImage key={`image ${pin.id}`} pin={pin} onChanged={actions.reload} />
          {pin.status !== "draft" && <PlanNotes key={`plan ${pin.id} ${pin.status}`} pinId={pin.id} />}
          <AttemptLog key={`${pin.id} ${pin.status}`} pin={pin} timeZone={timeZone} />
          <PinCommands
            key={`commands ${pin.id}`}
            pin={pin}
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

/** Pin Details. Escape, backdrop and X close it, after a confirmation when there are unsaved changes. */
export function PinDetails({ isOpen, pin, onClose, ...rest }: PinDetailsProps) {
  const [isEditing, setEditing] = useState(false);
  const close = () => {
    setEditing(false);
    onClose();
  };
  const guard = useEditGuard(pin, close);
  // Closes the details when the pin leaves the list, e.g. because it was published.
  useEffect(() => {
    if (!isOpen || pin) return;
    setEditing(false);
    onClose();
  }, [isOpen, pin, onClose]);
  return (
    <Dialog
      isOpen={isOpen && pin !== null}
      onClose={guard.leave}
      title="Pin Details"
      isTitleHidden
      width="lg"
      hasCloseButton
    >
      {pin && (
        <Content {...rest} pin={pin} guard={guard} isEditing={isEditing} onEditing={setEditing} onClose={close} />
      )}
      <DiscardDialog guard={guard}>Your changes to this draft haven't been saved.</DiscardDialog>
    </Dialog>
  );
}
