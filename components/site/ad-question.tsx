"use client";

import { useEffect, useRef } from "react";
import { AD_CHOICE_ID, AD_QUESTION_ID } from "#components/site/ad-places.ts";
import { buttonClass } from "#components/ui/button-style.ts";
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
    <section className="ad-consent" aria-labelledby={AD_QUESTION_ID}>
      <h2 ref={heading} id={AD_QUESTION_ID} tabIndex={-1} className="ad-consent-title">
        May an ad network know that you were here?
      </h2>
      <p>
        With your yes, {productName} tells Meta that a page was visited, so that we see which ads lead here. Never your
        name or e-mail, and nothing without a yes. You can change this at the foot of every public page.
      </p>
      <div className="ad-consent-answers">
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
