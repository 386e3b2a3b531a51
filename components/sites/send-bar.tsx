"use client";

import Sparkles from "lucide-react/icons/sparkles";
import { useRef, useState } from "react";
import { useDockHeight } from "#components/shared/use-dock-height.ts";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { creatorRowsUrl } from "#lib/core/paths.ts";
import { countOf } from "#lib/core/text.ts";
import { KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import type { SelectedPages } from "./use-selected-pages.ts";

type SendBarProps = { selection: SelectedPages; creatorPath: string };

/** Sends the selected pages to the creator, at the bottom of the screen. */
export function SendBar({ selection, creatorPath }: SendBarProps) {
  const bar = useRef<HTMLElement>(null);
  const [hasOwnImages, setOwnImages] = useState(false);
  useDockHeight(bar);
  const imageSource = hasOwnImages ? "page" : "generated";
  const href = creatorRowsUrl(
    creatorPath,
    selection.rows.map((row) => ({ ...row, imageSource })),
  );
  const clear = () => {
    selection.clear();
    // This bar is gone.
    (document.getElementById("found-pages") ?? document.getElementById("new-pages"))?.focus();
  };
  return (
    <section
      ref={bar}
      aria-label="Actions for the selected pages"
      data-slot="page-selection"
      className={
        "sticky bottom-5 z-(--z-bar) mx-auto mt-5 flex w-fit max-w-full flex-wrap items-center gap-x-3 gap-y-2 rounded-[12px] bg-raised p-2 pl-4 shadow-bar max-md:bottom-2.5"
      }
    >
      <p role="status" className="text-sm font-[550] num">
        {countOf(selection.rows.length, "page")} selected
        {selection.isFull && (
          <span className="block font-normal text-ink-3">A batch can have up to {KEYWORDS_MAX} pages.</span>
        )}
      </p>
      <Checkbox
        label="Use the pages’ own images"
        checked={hasOwnImages}
        onChange={({ target }) => setOwnImages(target.checked)}
      />
      <LinkButton size="sm" variant="primary" className="max-md:min-h-11" href={href} prefetch={false}>
        <Sparkles aria-hidden="true" />
        Create pins
      </LinkButton>
      <Button size="sm" variant="quiet" className="max-md:min-h-11" onClick={clear}>
        Clear
      </Button>
    </section>
  );
}
