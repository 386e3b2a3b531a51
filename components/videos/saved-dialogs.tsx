"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, type RefObject, useMemo, useRef, useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { LABEL } from "#components/ui/field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useLeaveGuard } from "#components/ui/use-leave-guard.ts";
import { callAction } from "#lib/client/api.ts";
import { keepKeywords } from "#lib/client/remembered.ts";
import { creatorAddress } from "#lib/core/paths.ts";
import { editSavedVideoAction } from "#lib/features/videos/actions.ts";
import { NOTES_MAX, TAGS_MAX } from "#lib/features/videos/constants.ts";
import { keywordsFrom } from "#lib/features/videos/engine/analysis.ts";
import { plainHashtag, uniqueWords } from "#lib/features/videos/policy.ts";
import type { SavedVideoWire } from "#lib/features/videos/schema.ts";
import type { SavedTool } from "./saved-card.tsx";
import { nameOf } from "./video-texts.ts";

type NotesDialogProps = {
  video: SavedVideoWire | null;
  onClose: () => void;
  onSaved: (video: SavedVideoWire) => void;
};

type FormProps = Pick<NotesDialogProps, "onSaved"> & {
  video: SavedVideoWire;
  /** Whether something was written that is not saved; the dialog asks about it. */
  isEdited: RefObject<boolean>;
  onCancel: () => void;
  onDone: () => void;
};

const tagsIn = (text: string): string[] => uniqueWords(text.split(/[,\n]/).map(plainHashtag));

function NotesForm({ video, isEdited, onCancel, onSaved, onDone }: FormProps) {
  const [tags, setTags] = useState(video.tags.join(", "));
  const [notes, setNotes] = useState(video.notes);
  const [isSaving, setSaving] = useState(false);
  const tagsField = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<{ text: string; fields: Record<string, string[]> } | null>(null);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    const wanted = { tags: tagsIn(tags), notes: notes.trim() };
    setSaving(true);
    const answer = await callAction(editSavedVideoAction({ id: video.id, ...wanted }));
    setSaving(false);
    if (!answer.ok) {
      setProblem({ text: answer.text, fields: answer.fields ?? {} });
      if (answer.fields?.tags) tagsField.current?.focus();
      return;
    }
    showToast("Tags and notes saved", { hasCheck: true });
    onSaved({ ...video, ...wanted });
    onDone();
  };
  const fields = problem?.fields ?? {};
  return (
    <form className="mt-5 grid gap-4" aria-label="Tags and notes" onSubmit={(event) => void save(event)}>
      {problem && Object.keys(fields).length === 0 && (
        <Banner tone="failed" isAnnounced>
          {problem.text}
        </Banner>
      )}
      <TextField
        ref={tagsField}
        label="Tags"
        hint={`Separated by commas, at most ${TAGS_MAX}. Only you see them.`}
        error={fields.tags?.[0]}
        value={tags}
        autoComplete="off"
        onChange={(event) => {
          isEdited.current = true;
          setTags(event.target.value);
        }}
      />
      <TextAreaField
        label="Notes"
        rows={5}
        maxLength={NOTES_MAX}
        error={fields.notes?.[0]}
        value={notes}
        onChange={(event) => {
          isEdited.current = true;
          setNotes(event.target.value);
        }}
      />
      <DialogActions>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isSaving}>
          Save
        </Button>
      </DialogActions>
    </form>
  );
}

/** What its owner writes about a saved video. */
function NotesDialog({ video, onClose, onSaved }: NotesDialogProps) {
  const isEdited = useRef(false);
  const close = () => {
    isEdited.current = false;
    onClose();
  };
  const guard = useLeaveGuard({ isThere: video !== null, isEdited: () => isEdited.current, onLeave: close });
  return (
    <>
      <Dialog
        isOpen={video !== null}
        onClose={guard.leave}
        title="Tags and notes"
        description={video && nameOf(video)}
        width="md"
      >
        {video && (
          <NotesForm
            key={video.id}
            video={video}
            isEdited={isEdited}
            onCancel={guard.leave}
            onSaved={onSaved}
            onDone={close}
          />
        )}
      </Dialog>
      <DiscardDialog guard={guard}>What you wrote about this video has not been saved.</DiscardDialog>
    </>
  );
}

type MakePinsDialogProps = {
  video: SavedVideoWire | null;
  /** Null while no Pinterest account is connected. */
  creatorPath: string | null;
  onClose: () => void;
};

type ChoiceProps = MakePinsDialogProps & { video: SavedVideoWire };

/** Where an account is connected. */
const ACCOUNTS = "/app";

function Choice({ video, creatorPath, onClose }: ChoiceProps) {
  const router = useRouter();
  const keywords = useMemo(() => keywordsFrom(video), [video]);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isMine, setMine] = useState(false);
  const chosen = keywords.filter((keyword) => !left.has(keyword));
  const toggle = (keyword: string) =>
    setLeft((before) => {
      const next = new Set(before);
      if (!next.delete(keyword)) next.add(keyword);
      return next;
    });
  const go = () => {
    if (creatorPath !== null) return router.push(creatorAddress(creatorPath, chosen));
    keepKeywords(chosen);
    router.push(ACCOUNTS);
  };
  return (
    <div className="mt-4 grid gap-4">
      {creatorPath === null && (
        <Banner>
          No Pinterest account is connected yet, and drafts belong to one of its boards. The keywords wait while you
          connect one.
        </Banner>
      )}
      {keywords.length === 0 && (
        <p className="text-sm text-ink-2">This video has neither a caption nor hashtags to take keywords from.</p>
      )}
      {keywords.length > 0 && (
        <fieldset className="grid gap-1">
          <legend className={cn(LABEL, "mb-1")}>Keywords</legend>
          {keywords.map((keyword) => (
            <Checkbox
              key={keyword}
              label={keyword}
              className="wrap-anywhere"
              checked={!left.has(keyword)}
              onChange={() => toggle(keyword)}
            />
          ))}
        </fieldset>
      )}
      {keywords.length > 0 && (
        <Checkbox
          isTopAligned
          className="py-3 px-3.5 rounded-[10px] bg-well shadow-[inset_0_0_0_1px_var(--line)] leading-[1.45]"
          label="I have the right to use this idea, and make something of my own from it."
          checked={isMine}
          onChange={(event) => setMine(event.target.checked)}
        />
      )}
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button variant="primary" disabled={!isMine || chosen.length === 0} onClick={go}>
          {creatorPath === null ? "Connect Account" : "Open the creator"}
        </Button>
      </DialogActions>
    </div>
  );
}

/** 'Make pins from this': the words of a video become keywords, once its user says that they may use the idea. */
function MakePinsDialog({ video, creatorPath, onClose }: MakePinsDialogProps) {
  return (
    <Dialog
      isOpen={video !== null}
      onClose={onClose}
      title="Make pins from this?"
      description="Each keyword becomes one draft. You can change them in the creator; nothing is made before you say so there."
      width="md"
    >
      {video && <Choice key={video.id} video={video} creatorPath={creatorPath} onClose={onClose} />}
    </Dialog>
  );
}

type SavedDialogsProps = {
  open: { tool: SavedTool; video: SavedVideoWire } | null;
  /** Null while no Pinterest account is connected: nothing can be made yet. */
  creatorPath: string | null;
  isDeleting: boolean;
  onClose: () => void;
  onSaved: (video: SavedVideoWire) => void;
  /** @returns whether it is gone */
  onDelete: (video: SavedVideoWire) => Promise<boolean>;
};

/** No other card was left. */
const LAST = "";

const cardOf = (id: string): HTMLElement | null => document.querySelector(`[data-video="${CSS.escape(id)}"]`);

/** The dialog that a card's tool opens. */
export function SavedDialogs({ open, creatorPath, isDeleting, onClose, onSaved, onDelete }: SavedDialogsProps) {
  // Where a card was deleted, the focus goes to its neighbour; null leaves it to the button that opened the dialog.
  const [after, setAfter] = useState<string | null>(null);
  const video = (tool: SavedTool) => (open?.tool === tool ? open.video : null);
  const deleted = video("delete");
  const confirm = async () => {
    if (!deleted) return;
    const card = cardOf(deleted.id);
    const next = card?.nextElementSibling ?? card?.previousElementSibling;
    const isGone = await onDelete(deleted);
    setAfter(isGone ? (next?.getAttribute("data-video") ?? LAST) : null);
    onClose();
  };
  const focusAfter = () => {
    if (after === null) return null;
    setAfter(null);
    return cardOf(after)?.querySelector("input") ?? document.querySelector<HTMLElement>("main");
  };
  return (
    <>
      <ConfirmDialog
        isOpen={deleted !== null}
        question="Are you sure you want to delete this video?"
        declineLabel="Keep it"
        confirmLabel="Delete"
        isDangerous
        isBusy={isDeleting}
        focusAfter={focusAfter}
        onDecline={onClose}
        onConfirm={() => void confirm()}
      >
        {deleted && nameOf(deleted)}
      </ConfirmDialog>
      <NotesDialog video={video("notes")} onClose={onClose} onSaved={onSaved} />
      <MakePinsDialog video={video("pins")} creatorPath={creatorPath} onClose={onClose} />
    </>
  );
}
