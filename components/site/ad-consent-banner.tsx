"use client";

import { useEffect, useRef } from "react";
import { AD_BANNER_ID, AD_CHOICE_ID } from "#components/site/ad-ids.ts";
import { buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { type AdConsent, setAdConsent, takeReopened } from "#lib/client/ad-consent.ts";

/** Saves the choice and focuses the button that can change it, since the banner disappears. */
function choose(choice: NonNullable<AdConsent>): void {
  setAdConsent(choice);
  document.getElementById(AD_CHOICE_ID)?.focus({ preventScroll: true });
}

/** The consent banner. It is fixed to the bottom of the window, so that it causes no layout shift. */
export function AdConsentBanner({ productName }: { productName: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeReopened()) heading.current?.focus();
  }, []);
  return (
    <section
      data-slot="ad-consent-banner"
      className={cn(
        "fixed inset-x-0 bottom-0 z-(--z-bar) grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-8 gap-y-1.5",
        "border-t border-line-2 bg-raised px-[max(var(--gutter),(100vw-var(--site-max))/2)] pt-4.5 pb-5",
        "text-sm/normal text-ink-2 shadow-bar max-md:grid-cols-1",
      )}
      aria-labelledby={AD_BANNER_ID}
    >
      <h2 ref={heading} id={AD_BANNER_ID} tabIndex={-1} className="text-ui/[1.4] font-semibold text-ink">
        Can we measure our ads?
      </h2>
      <p className="col-start-1 max-w-[68ch]">
        If you allow it, {productName} tells Meta that a page was visited, so we can see which ads work. We never send
        your name or email, and nothing at all without your OK. You can change this at the bottom of every public page.
      </p>
      <div className="col-start-2 row-span-2 row-start-1 flex gap-2.5 max-md:col-auto max-md:row-auto max-md:pt-2 max-md:*:flex-1">
        <button type="button" className={buttonClass({})} onClick={() => choose("refused")}>
          Decline
        </button>
        <button type="button" className={buttonClass({})} onClick={() => choose("allowed")}>
          Allow
        </button>
      </div>
    </section>
  );
}
