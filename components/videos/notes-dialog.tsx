"use client";

import { type FormEvent, type RefObject, useRef, useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useLeaveGuard } from "#components/ui/use-leave-guard.ts";
import { nameOf } from "#components/videos/shown-video.ts";
import { callAction } from "#lib/client/call-action.ts";
import { editSavedVideoAction } from "#lib/features/videos/actions.ts";
import { NOTES_MAX, TAGS_MAX } from "#lib/features/videos/constants.ts";
import { plainHashtag, uniqueWords } from "#lib/features/videos/policy.ts";
import type { SavedVideoWire } from "#lib/features/videos/schema.ts";

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
export function NotesDialog({ video, onClose, onSaved }: NotesDialogProps) {
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
        className="saved-dialog"
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
