"use client";

import { useCallback, useEffect, useState } from "react";
import { useLatest } from "#components/branding/use-latest.ts";
import type { EditsSent } from "#components/pins/manage/edit-choice.ts";
import { type ActionAnswer, callAction } from "#lib/client/call-action.ts";
import { previewEditsAction } from "#lib/features/pins/actions.ts";
import type { PlannedEdit } from "#lib/features/pins/schema.ts";

const PAUSE_MS = 300;

/** What a change would do, as the server works it out. */
export interface EditPreview {
  /** What was worked out last; null before, and once nothing is to be changed. Kept while the next is on its way. */
  edits: PlannedEdit[] | null;
  /** Whether `edits` are those of what is asked now. */
  isCurrent: boolean;
  /** Why it cannot be done at all, or null. */
  problem: string | null;
  /** Problems by the name of the field in the change: `link`, `boardId` … */
  fields: Record<string, string>;
}

type Asked = { pinIds: string[]; change: EditsSent; key: string };
type Told = { key: string; answer: ActionAnswer<{ edits: PlannedEdit[] }> };

const ask = async ({ pinIds, change }: Asked) => callAction(previewEditsAction({ pinIds, change }));

/** The first sentence of each field of a change; those of its parts (`utm.source`) count for the whole as well. */
const fieldsOf = (answer: ActionAnswer<unknown>): Record<string, string> => {
  if (answer.ok) return {};
  const named = Object.entries(answer.fields ?? {}).flatMap(([path, [text = ""]]) => {
    const part = path.replace(/^change\./, "");
    const [name = ""] = part.split(".");
    return [
      [part, text],
      [name, text],
    ];
  });
  return Object.fromEntries(named);
};

/** Works a change out a moment after it was chosen, while the form is open. A null change asks for nothing. */
export function useEditPreview(pinIds: string[], change: EditsSent | null): EditPreview {
  const [told, setTold] = useState<Told | null>(null);
  const [edits, setEdits] = useState<PlannedEdit[] | null>(null);
  const tell = useCallback((answer: Told["answer"], { key }: Asked) => {
    setTold({ key, answer });
    setEdits(answer.ok ? answer.value.edits : null);
  }, []);
  const call = useLatest(ask, tell);
  const key = change && JSON.stringify([pinIds, change]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is asked
  useEffect(() => {
    if (change && key !== null) call({ pinIds, change, key }, PAUSE_MS);
    else setEdits(null);
  }, [key, call]);

  const isCurrent = told !== null && told.key === key;
  return {
    edits: change === null ? null : edits,
    isCurrent,
    problem: isCurrent && !told.answer.ok ? told.answer.text : null,
    fields: isCurrent ? fieldsOf(told.answer) : {},
  };
}
