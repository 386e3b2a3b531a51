"use client";

import Sparkles from "lucide-react/icons/sparkles";
import { type MouseEvent, useState } from "react";
import { WORD_TARGET } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { callAction } from "#lib/client/api.ts";
import { suggestTextAction } from "#lib/features/generation/actions.ts";

type Part = "title" | "description";
type TextElement = HTMLInputElement | HTMLTextAreaElement;

const fieldOf = ({ form }: HTMLButtonElement, part: Part): TextElement | null => {
  const field = form?.elements.namedItem(part);
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field : null;
};

/** Sets a field's value like user input does, so that React and other listeners notice. */
const write = (field: TextElement, text: string): void => {
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
};

/**
 * Suggests another title or description in the surrounding form's field, with Undo. Undo is not in a toast, because
 * toasts cannot be reached from inside a dialog.
 */
export function SuggestText({ pinId, part }: { pinId: string; part: Part }) {
  const notice = useNotice();
  const [isBusy, setBusy] = useState(false);
  const [before, setBefore] = useState<string | null>(null);

  const suggest = async ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    const field = fieldOf(currentTarget, part);
    if (isBusy || !field) return;
    const typed = field.value;
    setBusy(true);
    const answer = await callAction(suggestTextAction({ pinId, part, instead: typed }));
    setBusy(false);
    if (!answer.ok) return notice.error(answer.text);
    // Text typed in the meantime wins over the suggestion.
    if (field.value !== typed) return;
    write(field, answer.value.text);
    setBefore(typed);
  };

  const undo = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    const field = fieldOf(currentTarget, part);
    if (field && before !== null) write(field, before);
    field?.focus();
    setBefore(null);
  };

  return (
    <span
      className={cn(
        "inline-flex [&_[data-slot=spinner]]:size-3.5 gap-3.5 text-xs",
        "[&>button]:inline-flex [&>button]:items-center [&>button]:gap-1.5",
      )}
    >
      {before !== null && (
        <button
          type="button"
          className={cn("link", WORD_TARGET)}
          aria-label={`Undo the suggested ${part}`}
          onClick={undo}
        >
          Undo
        </button>
      )}
      <button
        type="button"
        className={cn("link", WORD_TARGET)}
        aria-label={`Suggest another ${part}`}
        aria-busy={isBusy}
        onClick={suggest}
      >
        {isBusy ? <Spinner /> : <Sparkles aria-hidden="true" size={14} />}
        Suggest another
      </button>
    </span>
  );
}
