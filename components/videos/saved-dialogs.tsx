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
import { saveKeywords } from "#lib/client/remembered.ts";
import { creatorUrl } from "#lib/core/paths.ts";
import { editSavedVideoAction } from "#lib/features/videos/actions.ts";
import { NOTES_MAX, TAGS_MAX } from "#lib/features/videos/constants.ts";
import { keywordsFrom } from "#lib/features/videos/engine/analysis.ts";
import { cleanHashtag, uniqueTexts } from "#lib/features/videos/policy.ts";
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
  /** Whether there are unsaved changes; the dialog asks before it discards them. */
  isEdited: RefObject<boolean>;
  onCancel: () => void;
  onDone: () => void;
};

const tagsIn = (text: string): string[] => uniqueTexts(text.split(/[,\n]/).map(cleanHashtag));

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
        hint={`Separate tags with commas, up to ${TAGS_MAX}. Only you can see them.`}
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

function NotesDialog({ video, onClose, onSaved }: NotesDialogProps) {
  const isEdited = useRef(false);
  const close = () => {
    isEdited.current = false;
    onClose();
  };
  const guard = useLeaveGuard({ isOpen: video !== null, isDirty: () => isEdited.current, onLeave: close });
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
      <DiscardDialog guard={guard}>Your changes to this video haven't been saved.</DiscardDialog>
    </>
  );
}

type MakePinsDialogProps = {
  video: SavedVideoWire | null;
  /** Null when no Pinterest account is connected. */
  creatorPath: string | null;
  onClose: () => void;
};

type ChoiceProps = MakePinsDialogProps & { video: SavedVideoWire };

const ACCOUNTS = "/app";

function Choice({ video, creatorPath, onClose }: ChoiceProps) {
  const router = useRouter();
  const keywords = useMemo(() => keywordsFrom(video), [video]);
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const [hasRights, setHasRights] = useState(false);
  const chosen = keywords.filter((keyword) => !excluded.has(keyword));
  const toggle = (keyword: string) =>
    setExcluded((before) => {
      const next = new Set(before);
      if (!next.delete(keyword)) next.add(keyword);
      return next;
    });
  const go = () => {
    if (creatorPath !== null) return router.push(creatorUrl(creatorPath, chosen));
    saveKeywords(chosen);
    router.push(ACCOUNTS);
  };
  return (
    <div className="mt-4 grid gap-4">
      {creatorPath === null && (
        <Banner>
          Connect a Pinterest account first. Every draft needs a board. We'll save your keywords in the meantime.
        </Banner>
      )}
      {keywords.length === 0 && (
        <p className="text-sm text-ink-2">This video has no caption or hashtags to use as keywords.</p>
      )}
      {keywords.length > 0 && (
        <fieldset className="grid gap-1">
          <legend className={cn(LABEL, "mb-1")}>Keywords</legend>
          {keywords.map((keyword) => (
            <Checkbox
              key={keyword}
              label={keyword}
              className="wrap-anywhere"
              checked={!excluded.has(keyword)}
              onChange={() => toggle(keyword)}
            />
          ))}
        </fieldset>
      )}
      {keywords.length > 0 && (
        <Checkbox
          isTopAligned
          className="py-3 px-3.5 rounded-[10px] bg-well shadow-[inset_0_0_0_1px_var(--line)] leading-[1.45]"
          label="I have the right to use this idea, and I'll make it my own."
          checked={hasRights}
          onChange={(event) => setHasRights(event.target.checked)}
        />
      )}
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button variant="primary" disabled={!hasRights || chosen.length === 0} onClick={go}>
          {creatorPath === null ? "Connect Account" : "Create pins"}
        </Button>
      </DialogActions>
    </div>
  );
}

/** Turns a video's text into keywords, after the user confirms the right to use the idea. */
function MakePinsDialog({ video, creatorPath, onClose }: MakePinsDialogProps) {
  return (
    <Dialog
      isOpen={video !== null}
      onClose={onClose}
      title="Create pins from this?"
      description="Each keyword becomes one draft. You can change the keywords before anything is generated."
      width="md"
    >
      {video && <Choice key={video.id} video={video} creatorPath={creatorPath} onClose={onClose} />}
    </Dialog>
  );
}

type SavedDialogsProps = {
  open: { tool: SavedTool; video: SavedVideoWire } | null;
  /** Null when no Pinterest account is connected. */
  creatorPath: string | null;
  isDeleting: boolean;
  onClose: () => void;
  onSaved: (video: SavedVideoWire) => void;
  /** @returns whether it was deleted */
  onDelete: (video: SavedVideoWire) => Promise<boolean>;
};

/** No card is left. */
const LAST = "";

const cardOf = (id: string): HTMLElement | null => document.querySelector(`[data-video="${CSS.escape(id)}"]`);

export function SavedDialogs({ open, creatorPath, isDeleting, onClose, onSaved, onDelete }: SavedDialogsProps) {
  // After a deletion the focus moves to the next card; null returns it to the button that opened the dialog.
  const [after, setAfter] = useState<string | null>(null);
  const video = (tool: SavedTool) => (open?.tool === tool ? open.video : null);
  const deleted = video("delete");
  const confirm = async () => {
    if (!deleted) return;
    const card = cardOf(deleted.id);
    const next = card?.nextElementSibling ?? card?.previousElementSibling;
    const isDeleted = await onDelete(deleted);
    setAfter(isDeleted ? (next?.getAttribute("data-video") ?? LAST) : null);
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
