import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { PinFromPage } from "#components/generation/from-page.tsx";
import { EditDraftForm, type EditGuard, useEditGuard, useFocusAfterEdit } from "#components/pins/edit-draft-form.tsx";
import { LinkCheck } from "#components/pins/link-check.tsx";
import { FormatChip } from "#components/shared/format-chip.tsx";
import { isDialogOpen } from "#components/shared/shortcuts.ts";
import { StatusChip } from "#components/shared/status-chip.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { cn } from "#components/ui/cn.ts";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { callAction } from "#lib/client/api.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { readPinAction } from "#lib/features/pins/actions.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import type { ReviewDeck } from "./use-review.ts";

const FACTS = cn(
  "grid justify-items-start gap-3.5 min-w-0 [&>form]:w-full [&>form]:max-w-[36rem]",
  "[&_dl]:grid [&_dl]:grid-cols-[auto_minmax(0,1fr)] [&_dl]:gap-y-2 [&_dl]:gap-x-4.5 [&_dl]:text-sm",
  "[&_dt]:text-ink-3 [&_dd]:wrap-anywhere",
  // Aligns the button of a banner with its text, not with its icon.
  "max-[64rem]:[&_[data-slot=banner]:has(>[data-slot=button])]:grid max-[64rem]:[&_[data-slot=banner]:has(>[data-slot=button])]:grid-cols-[auto_minmax(0,1fr)]",
  "max-[64rem]:[&_[data-slot=banner]>[data-slot=button]]:col-start-2 max-[64rem]:[&_[data-slot=banner]>[data-slot=button]]:justify-self-start",
);

/** The edit form of the current draft. A key or a button opens it, Escape closes it. */
export interface ReviewEdit {
  isEditing: boolean;
  guard: EditGuard;
  /** Opens the form, and gets the focus back when it closes. */
  opener: RefObject<HTMLButtonElement | null>;
  open: () => void;
  close: () => void;
}

export const useReviewEdit = ({ pin, isDraft }: ReviewDeck): ReviewEdit => {
  const [editing, setEditing] = useState<string | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const isEditing = pin !== null && editing === pin.id;
  const close = () => setEditing(null);
  const guard = useEditGuard(pin, close);

  useFocusAfterEdit(isEditing, () => opener.current);

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    // Dialogs and input methods handle their own Escape.
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || isDialogOpen()) return;
    event.preventDefault();
    guard.leave();
  });
  useEffect(() => {
    if (!isEditing) return;
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [isEditing]);

  const open = () => {
    if (pin && isDraft(pin)) setEditing(pin.id);
  };
  return { isEditing, guard, opener, open, close };
};

type ReviewFactsProps = {
  pin: PinWire;
  isDraft: boolean;
  isEditing: boolean;
  guard: EditGuard;
  onEdited: (pin: PinWire) => void;
  onClose: () => void;
};

/** Title, description and link of the current draft, or the form that edits them. */
export function ReviewFacts({ pin, isDraft, isEditing, guard, onEdited, onClose }: ReviewFactsProps) {
  const notice = useNotice();
  const reloadPin = async () => {
    onClose();
    const answer = await callAction(readPinAction({ pinId: pin.id }));
    if (answer.ok) onEdited(answer.value.post);
    else notice.error(answer.text);
  };
  if (isEditing) {
    return (
      <div data-slot="review-facts" className={FACTS}>
        <EditDraftForm pin={pin} formRef={guard.form} onDone={reloadPin} onCancel={onClose} />
        <DiscardDialog guard={guard}>Your changes to this draft haven't been saved.</DiscardDialog>
      </div>
    );
  }
  const link = pin.url === null ? null : httpUrl(pin.url);
  return (
    <div data-slot="review-facts" className={FACTS}>
      {isDraft ? <StatusChip state={pin.status} /> : <Banner>{TEXTS.notReviewable}</Banner>}
      <FormatChip format={pin.format} />
      <h2 className="title-2 max-w-full wrap-anywhere">{pin.title}</h2>
      {pin.description && (
        <p data-slot="review-words" className="max-w-[58ch] text-ink-2 leading-[1.6] whitespace-pre-line wrap-anywhere">
          {pin.description}
        </p>
      )}
      <dl className="num">
        {pin.keyword && (
          <>
            <dt>Keyword</dt>
            <dd>{pin.keyword}</dd>
          </>
        )}
        <dt>Link</dt>
        <dd>
          {link ? (
            <a className="link" href={link} target="_blank" rel="noreferrer">
              {pin.url}
            </a>
          ) : (
            "None"
          )}
        </dd>
      </dl>
      <LinkCheck key={pin.id} pin={pin} />
      <PinFromPage key={`page ${pin.id}`} pin={pin} />
    </div>
  );
}
