"use client";

import ListPlus from "lucide-react/icons/list-plus";
import Sparkles from "lucide-react/icons/sparkles";
import { useLayoutEffect, useRef, useState } from "react";
import { useDockHeight } from "#components/shared/use-dock-height.ts";
import { Button } from "#components/ui/button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { creatorUrl } from "#lib/core/paths.ts";
import type { KeywordListWire } from "#lib/features/keywords/schema.ts";
import { planText, selectedText } from "./keyword-texts.ts";
import { SaveDialog } from "./save-dialog.tsx";
import { sharedDays } from "./season-days.ts";
import type { KeywordSelection } from "./use-selection.ts";

type SelectionBarProps = {
  selection: KeywordSelection;
  lists: readonly KeywordListWire[];
  creatorPath: string;
  accountId: string | null;
  /** UTC day. */
  today: string;
};

/** Actions for the selected keywords, at the bottom of the screen. */
export function SelectionBar({ selection, lists, creatorPath, accountId, today }: SelectionBarProps) {
  const bar = useRef<HTMLElement>(null);
  const [isSaving, setSaving] = useState(false);
  useDockHeight(bar);
  // The bar disappears with the selection, so the focus goes to the selected tab.
  useLayoutEffect(() => {
    const { current } = bar;
    return () => {
      if (!current?.contains(document.activeElement)) return;
      document.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus({ preventScroll: true });
    };
  }, []);
  const keywords = [...selection.keywords.keys()];
  const days = sharedDays(selection.keywords.values(), today);
  const href = creatorUrl(creatorPath, keywords, { accountId, days: days === "apart" ? null : days });
  return (
    <section
      ref={bar}
      aria-label="Actions for the selected keywords"
      data-slot="keyword-selection"
      className={
        "sticky bottom-5 z-(--z-bar) mx-auto mt-5 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-[12px] bg-raised p-2 pl-4 shadow-bar max-md:bottom-2.5"
      }
    >
      <p role="status" className="mr-2 text-sm font-[550] num">
        <span>{selectedText(keywords.length)}</span>
        {days && <span className="block max-w-[36ch] font-normal text-ink-3">{planText(days)}</span>}
      </p>
      <Button size="sm" className="max-md:min-h-11" onClick={() => setSaving(true)}>
        <ListPlus aria-hidden="true" />
        Save to list…
      </Button>
      <LinkButton size="sm" variant="primary" className="max-md:min-h-11" href={href} prefetch={false}>
        <Sparkles aria-hidden="true" />
        Create pins
      </LinkButton>
      <Button size="sm" variant="quiet" className="max-md:min-h-11" onClick={selection.clear}>
        Clear
      </Button>
      <SaveDialog isOpen={isSaving} keywords={keywords} lists={lists} onClose={() => setSaving(false)} />
    </section>
  );
}
