"use client";

import { useRef, useState } from "react";
import { Spinner } from "#components/ui/spinner.tsx";
import { callAction } from "#lib/client/api.ts";
import { previewTextAction } from "#lib/features/generation/actions.ts";
import { TEXTS } from "#lib/features/generation/constants.ts";
import type { TextPreview } from "#lib/features/generation/schema.ts";
import type { KeywordField } from "./use-creator.ts";

type Shown = { kind: "busy" } | { kind: "failed"; text: string } | ({ kind: "written" } & TextPreview);

export interface RowPreview {
  shown: Shown | null;
  load: (row: KeywordField) => Promise<void>;
  close: () => void;
}

/** The example text of one row. Responses for a row or an account that has changed since are ignored. */
export const useRowPreview = (accountId: string | null): RowPreview => {
  const [last, setLast] = useState<{ accountId: string | null; shown: Shown | null }>({ accountId, shown: null });
  const latest = useRef(0);
  const setShown = (shown: Shown | null) => setLast({ accountId, shown });
  return {
    // An example of another account isn't shown, and neither is one that arrives late.
    shown: last.accountId === accountId ? last.shown : null,
    load: async ({ keyword, url }) => {
      if (accountId === null) return;
      latest.current += 1;
      const own = latest.current;
      setShown({ kind: "busy" });
      const answer = await callAction(previewTextAction({ accountId, keyword, url }));
      if (own !== latest.current) return;
      setShown(answer.ok ? { kind: "written", ...answer.value } : { kind: "failed", text: answer.text });
    },
    close: () => {
      latest.current += 1;
      setShown(null);
    },
  };
};

export function RowPreviewText({ shown, number }: { shown: Shown | null; number: number }) {
  return (
    <div className="col-span-full md:pl-[30px]" aria-live="polite">
      {shown?.kind === "busy" && (
        <p className="flex items-center gap-2 text-sm text-ink-3">
          <Spinner />
          Writing an example…
        </p>
      )}
      {shown?.kind === "failed" && <p className="text-sm text-failed-ink">{shown.text}</p>}
      {shown?.kind === "written" && (
        <figure className="grid gap-1 rounded-control border border-line p-3 text-sm">
          <figcaption className="text-xs text-ink-3">{`Example for row ${number}. ${TEXTS.previewFree}`}</figcaption>
          <b className="font-semibold wrap-anywhere">{shown.title}</b>
          <p className="wrap-anywhere">{shown.description}</p>
          {shown.problem && <p className="text-ink-3">{`${TEXTS.pageUnused}: ${shown.problem}`}</p>}
        </figure>
      )}
    </div>
  );
}
