"use client";

import { useEffect, useRef } from "react";
import { AD_CHOICE_ID, AD_QUESTION_ID } from "#components/site/ad-places.ts";
import { buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { type AdConsent as Answer, setAdConsent, takeReopened } from "#lib/client/ad-consent.ts";

/** Keeps the answer. The focus goes where it can be changed, as the buttons go; the page stays where it is. */
function answer(choice: NonNullable<Answer>): void {
  setAdConsent(choice);
  document.getElementById(AD_CHOICE_ID)?.focus({ preventScroll: true });
}

/** The question itself, which takes the focus when its reader asked for it again. Fixed to the foot of the window, so that nothing moves when it comes or goes. */
export function AdQuestion({ productName }: { productName: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeReopened()) heading.current?.focus();
  }, []);
  return (
    <section
      data-slot="ad-question"
      className={cn(
        "fixed inset-x-0 bottom-0 z-(--z-bar) grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-8 gap-y-1.5",
        "border-t border-line-2 bg-raised px-[max(var(--gutter),(100vw-var(--site-max))/2)] pt-4.5 pb-5",
        "text-sm/normal text-ink-2 shadow-bar max-md:grid-cols-1",
      )}
      aria-labelledby={AD_QUESTION_ID}
    >
      <h2 ref={heading} id={AD_QUESTION_ID} tabIndex={-1} className="text-ui/[1.4] font-semibold text-ink">
        May an ad network know that you were here?
      </h2>
      <p className="col-start-1 max-w-[68ch]">
        With your yes, {productName} tells Meta that a page was visited, so that we see which ads lead here. Never your
        name or e-mail, and nothing without a yes. You can change this at the foot of every public page.
      </p>
      <div className="col-start-2 row-span-2 row-start-1 flex gap-2.5 max-md:col-auto max-md:row-auto max-md:pt-2 max-md:*:flex-1">
        <button type="button" className={buttonClass({})} onClick={() => answer("refused")}>
          Refuse
        </button>
        <button type="button" className={buttonClass({})} onClick={() => answer("allowed")}>
          Allow
        </button>
      </div>
    </section>
  );
}
