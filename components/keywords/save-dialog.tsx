"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { refetchActive } from "#lib/client/query-client.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { countOf } from "#lib/core/text.ts";
import { LIST_NAME_MAX, TEXTS } from "#lib/features/keywords/constants.ts";
import type { KeywordListDetailWire, KeywordListWire } from "#lib/features/keywords/schema.ts";
import { LISTS_PATH } from "./keywords-query.ts";

/** The choice that creates a list. */
const NEW = "";

type SaveFormProps = {
  keywords: readonly string[];
  lists: readonly KeywordListWire[];
  onCancel: () => void;
  onSaved: () => void;
};

function SaveForm({ keywords, lists, onCancel, onSaved }: SaveFormProps) {
  const client = useQueryClient();
  const { isSessionFailure } = useSessionEnd();
  const [listId, setListId] = useState(lists[0]?.id ?? NEW);
  const [name, setName] = useState("");
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const chosen = lists.find(({ id }) => id === listId);
  const isNameMissing = !chosen && problem === TEXTS.nameMissing;

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    const target = chosen?.name ?? name.trim();
    if (target === "") return setProblem(TEXTS.nameMissing);
    setSaving(true);
    setProblem(null);
    try {
      const saved = await api.post<KeywordListDetailWire>(LISTS_PATH, { name: target, keywords });
      await refetchActive(client, queryKeys.keywordLists);
      await refetchActive(client, queryKeys.keywordList(saved.id));
      showToast(`${countOf(keywords.length, "keyword")} saved to ${saved.name}`, { hasCheck: true });
      onSaved();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isSessionFailure(error)) return;
      setProblem(describeFailure(error, "We couldn't save the keywords. Please try again."));
    } finally {
      setSaving(false);
    }
  };
  return (
    <form className="mt-5 grid gap-4" aria-label="Save to list" onSubmit={(event) => void save(event)} noValidate>
      {problem && !isNameMissing && (
        <Banner tone="failed" isAnnounced>
          {problem}
        </Banner>
      )}
      {lists.length > 0 && (
        <SelectField label="List" value={listId} onChange={({ target }) => setListId(target.value)}>
          {lists.map(({ id, name: label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
          <option value={NEW}>New list</option>
        </SelectField>
      )}
      {!chosen && (
        <TextField
          label="Name of the new list"
          value={name}
          maxLength={LIST_NAME_MAX}
          autoComplete="off"
          error={isNameMissing ? TEXTS.nameMissing : undefined}
          onChange={({ target }) => setName(target.value)}
        />
      )}
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

type SaveDialogProps = Omit<SaveFormProps, "onCancel" | "onSaved"> & { isOpen: boolean; onClose: () => void };

/** Saves the selected keywords to an existing list or a new one. */
export function SaveDialog({ isOpen, keywords, lists, onClose }: SaveDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Save ${countOf(keywords.length, "keyword")}`}
      description="Only the keywords and today's date are saved, not Pinterest's numbers."
    >
      {isOpen && <SaveForm keywords={keywords} lists={lists} onCancel={onClose} onSaved={onClose} />}
    </Dialog>
  );
}
