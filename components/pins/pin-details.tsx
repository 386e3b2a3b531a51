"use client";

import { useEffect, useId, useRef, useState } from "react";
import { sectionNameOf, useSections } from "#components/accounts/section-field.tsx";
import { type Boards, boardNameOf, useBoards } from "#components/accounts/use-boards.tsx";
import { PinFromPage } from "#components/generation/from-page.tsx";
import { RegenerateImage } from "#components/generation/regenerate-section.tsx";
import { PlanNotes } from "#components/planning/plan-notes.tsx";
import { clockChangeNote } from "#components/publishing/moments.ts";
import { FormatChip } from "#components/shared/format-chip.tsx";
import { Pin, PinFace } from "#components/shared/pin.tsx";
import { PinPreview } from "#components/shared/pin-preview.tsx";
import { StatusChip } from "#components/shared/status-chip.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { httpUrl } from "#lib/core/paths.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { TEMPLATES } from "#lib/features/branding/constants.ts";
import type { AttemptWire, PinWire } from "#lib/features/pins/schema.ts";
import { type DraftEdit, EditDraftForm, type EditGuard, useEditGuard, useFocusAfterEdit } from "./edit-draft-form.tsx";
import { LinkCheck } from "./link-check.tsx";
import { PinCommands } from "./pin-commands.tsx";
import { PinMedia, usePinDetails } from "./pin-media.tsx";
import type { PinActions } from "./use-pin-actions.ts";

const SOURCE_LABELS = { ai: "Made with AI", manual: "Your image" } as const;

const templateLabel = ({ template_id }: PinWire): string | null => {
  const known = Object.entries(TEMPLATES).find(([name]) => name === template_id);
  return known ? known[1].label : null;
};

type PinFactsProps = { pin: PinWire; boards: Boards; timeZone: string };

function PinFacts({ pin, boards, timeZone }: PinFactsProps) {
  const link = pin.url === null ? null : httpUrl(pin.url);
  const sections = useSections(pin.account_id, pin.board_section_id && pin.board_id);
  const formatTime = (at: string | null) => at && formatDateTime(at, timeZone);
  const clockNote = pin.scheduled_at && clockChangeNote(pin.scheduled_at, timeZone);
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
            <dd>
              {text}
              {label === "Scheduled" && clockNote && <span className="block text-xs text-ink-3">{clockNote}</span>}
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

type DetailsPreviewProps = {
  pin: PinWire;
  /** What is typed into the form; null shows the saved pin. */
  edit: DraftEdit | null;
  isEditing: boolean;
  username: string;
  boards: Boards;
};

/** The image, and the pin as Pinterest shows it. */
function DetailsPreview({ pin, edit, isEditing, username, boards }: DetailsPreviewProps) {
  const shown = {
    title: edit?.title ?? pin.title,
    description: edit?.description ?? pin.description,
    link: edit ? edit.link : pin.url,
    altText: edit?.altText ?? pin.alt_text,
    imageUrl: pin.image_url,
    username,
    boardName: boardNameOf(boards, edit?.boardId ?? pin.board_id),
  };
  return (
    <PinPreview
      label="Preview"
      pin={shown}
      // The image alone would not show what is typed.
      firstView={isEditing ? "feed" : "image"}
      image={
        <PinMedia pin={pin}>
          <Pin state={pin.status} hasTack={false} className={pin.status === "failed" ? "my-4" : undefined}>
            <PinFace src={pin.image_url} alt={shown.altText || shown.title} isEager />
          </Pin>
        </PinMedia>
      }
    />
  );
}

const OUTCOME_LABELS: Record<string, string> = {
  created: "Published",
  found: "Published: found on the board",
  absent: "Not found on the board. We'll try once more.",
  rejected: "Rejected by Pinterest",
  later: "Will retry later",
  unclear: "Not confirmed by Pinterest",
  abandoned: "Not sent",
};

const outcomeText = (attempt: AttemptWire): string =>
  attempt.outcome === null ? "In progress" : (OUTCOME_LABELS[attempt.outcome] ?? attempt.outcome);

/** What Pinterest said, unless the problem quotes it. */
const quoteOf = ({ provider_message: message, problem }: AttemptWire): string | null =>
  message && !problem?.includes(message) ? `Pinterest's message: ${message}` : null;

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
      {[attempt.problem, quoteOf(attempt), attempt.note].map((text) => text && <p key={text}>{text}</p>)}
    </li>
  );
}

/** All attempts to publish a pin. */
function AttemptLog({ pin, timeZone }: { pin: PinWire; timeZone: string }) {
  const titleId = useId();
  const { data, error } = usePinDetails(pin);
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
  const [edit, setEdit] = useState<DraftEdit | null>(null);
  useFocusAfterEdit(isEditing, () => content.current?.querySelector<HTMLElement>("[data-opens-edit]"));
  return (
    <div
      ref={content}
      className={cn(
        "pin-details grid max-md:[&_.pin]:mx-auto max-md:[&_.pin]:max-w-47.5 [&_.title-2]:wrap-anywhere grid-cols-[minmax(0,300px)_minmax(0,1fr)] gap-8 items-start",
        "md:has-[[data-device=desktop]]:grid-cols-2 max-md:mt-6 max-md:grid-cols-1 max-md:gap-5.5",
        // Stays in view while the fields below are edited.
        "md:[&>[data-slot=pin-preview]]:sticky md:[&>[data-slot=pin-preview]]:top-0",
        "[&_dl]:grid [&_dl]:grid-cols-[auto_minmax(0,1fr)] [&_dl]:gap-y-2 [&_dl]:gap-x-4.5",
        "[&_dl]:text-sm/[1.45] [&_dt]:text-ink-3 [&_dd]:wrap-anywhere",
      )}
    >
      <DetailsPreview
        pin={pin}
        edit={isEditing ? edit : null}
        isEditing={isEditing}
        username={username}
        boards={boards}
      />
      {isEditing ? (
        <EditDraftForm
          pin={pin}
          formRef={guard.form}
          onEdit={setEdit}
          onDone={() => {
            onEditing(false);
            actions.reload();
          }}
          onCancel={() => onEditing(false)}
        />
      ) : (
        <div className="grid min-w-0 gap-4">
          <div className="grid justify-items-start gap-2.5 pr-10">
            <div className="flex flex-wrap gap-2">
              <StatusChip state={pin.status} />
              <FormatChip format={pin.format} />
            </div>
            <p className="title-2">{pin.title}</p>
          </div>
          <PinNotices pin={pin} />
          <p className="text-ui leading-relaxed text-ink-2 whitespace-pre-line wrap-anywhere">{pin.description}</p>
          <PinFacts pin={pin} boards={boards} timeZone={timeZone} />
          <LinkCheck key={`link ${pin.id}`} pin={pin} />
          <PinFromPage key={`page ${pin.id}`} pin={pin} />
          {pin.format === "image" && <RegenerateImage key={`image ${pin.id}`} pin={pin} onChanged={actions.reload} />}
          {pin.status !== "draft" && <PlanNotes key={`plan ${pin.id} ${pin.status}`} pinId={pin.id} />}
          <AttemptLog key={`${pin.id} ${pin.status}`} pin={pin} timeZone={timeZone} />
          <PinCommands
            key={`commands ${pin.id}`}
            pin={pin}
            username={username}
            boardName={boardName}
            timeZone={timeZone}
            actions={actions}
            onEdit={() => {
              setEdit(null);
              onEditing(true);
            }}
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
