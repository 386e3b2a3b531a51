"use client";

import { useLayoutEffect } from "react";
import { Board, Tack } from "#components/shared/pin.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { wearKeptTheme } from "#components/ui/theme-choice.ts";
import { LOST, LOST_OUTLINE } from "./frame.ts";

export type FallenPinProps = {
  /** What was thrown: an Error with a `digest` when it comes from the server, anything when from the browser. */
  error: unknown;
  retry: () => void;
  home: { href: string; label: string };
};

/** The number under which the server's log has the same error. */
function referenceOf(error: unknown): string | undefined {
  const digest = error instanceof Error && "digest" in error ? error.digest : undefined;
  return typeof digest === "string" ? digest : undefined;
}

/**
 * In place of a page that failed while it was made: a pin that hangs askew. It is made of as little as possible, and
 * its link asks for a whole new document.
 */
export function FallenPin({ error, retry, home }: FallenPinProps) {
  const reference = referenceOf(error);
  // The document of a failed page is bare, and made in the browser: no script stood in its head.
  useLayoutEffect(wearKeptTheme, []);
  return (
    <section className={LOST} data-testid="fallen-pin">
      <Board className="grid place-items-center h-140 max-lg:h-75" aria-hidden="true">
        <span className={cn(LOST_OUTLINE, "origin-[16px_0] rotate-3")}>
          <Tack state="failed" />
        </span>
      </Board>
      <div>
        <p className="mb-4 text-sm font-medium text-ink-3">Page Not Loaded</p>
        <h1 className="display text-d2">This pin hangs askew</h1>
        <p className="lead mt-6 max-w-[40ch]">
          Something failed on our side while this page was made. What you saved is kept. Try again in a moment.
        </p>
        <div className="mt-8 flex flex-wrap gap-3">
          <button type="button" className={buttonClass({ variant: "primary", size: "lg" })} onClick={retry}>
            Try again
          </button>
          <a href={home.href} className={buttonClass({ size: "lg" })}>
            {home.label}
          </a>
        </div>
        {reference && <p className="num mt-8 text-sm text-ink-3">Reference {reference}</p>}
      </div>
    </section>
  );
}
