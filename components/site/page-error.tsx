"use client";

import { useLayoutEffect } from "react";
import { Board, Tack } from "#components/shared/pin.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { applySavedTheme } from "#components/ui/theme-choice.ts";
import { EMPTY_PIN, ERROR_LAYOUT } from "./site-style.ts";

export type PageErrorProps = {
  /** The thrown value. Errors from the server have a `digest`. */
  error: unknown;
  retry: () => void;
  home: { href: string; label: string };
};

/** Returns the number of the error in the server's log. */
function referenceOf(error: unknown): string | undefined {
  const digest = error instanceof Error && "digest" in error ? error.digest : undefined;
  return typeof digest === "string" ? digest : undefined;
}

/** Shown when a page fails to render. It depends on as little as possible, and its link loads a new document. */
export function PageError({ error, retry, home }: PageErrorProps) {
  const reference = referenceOf(error);
  // A failed page is rendered in the browser, without the first-paint script in its head.
  useLayoutEffect(applySavedTheme, []);
  return (
    <section className={ERROR_LAYOUT} data-testid="page-error">
      <Board className="grid place-items-center h-140 max-lg:h-75" aria-hidden="true">
        <span className={cn(EMPTY_PIN, "origin-[16px_0] rotate-3")}>
          <Tack state="failed" />
        </span>
      </Board>
      <div>
        <p className="mb-4 text-sm font-medium text-ink-3">This page didn’t load</p>
        <h1 className="display text-d2">Something went wrong</h1>
        <p className="lead mt-6 max-w-[40ch]">
          We couldn’t load this page, and it’s our fault. Your saved work is safe. Please try again in a moment.
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
