"use client";

import { usePathname } from "next/navigation";
import { useEffect, useSyncExternalStore } from "react";
import { AD_CHOICE_ID, AD_QUESTION_ID } from "#components/site/ad-places.ts";
import { buttonClass } from "#components/ui/button-style.ts";
import { type AdConsent as Answer, getAdConsent, onAdConsentChange, setAdConsent } from "#lib/client/ad-consent.ts";
import { adPixelAddress } from "#lib/core/ad-pixel.ts";

type AdConsentProps = { pixelId: string; productName: string };

/** Says that a page was looked at. The referrer is our origin at most: an address may carry a token. */
function tell(pixelId: string): void {
  const picture = new Image(1, 1);
  picture.referrerPolicy = "origin";
  picture.src = adPixelAddress(pixelId, "PageView", Date.now());
}

/** Keeps the answer. The focus goes where it can be changed, as the buttons go; the page stays where it is. */
function answer(choice: NonNullable<Answer>): void {
  setAdConsent(choice);
  document.getElementById(AD_CHOICE_ID)?.focus({ preventScroll: true });
}

/**
 * Asks once whether the ad pixel may be told of visits, and tells it after a yes. Nothing is sent before, and
 * nothing about the person ever. Fixed to the foot of the window, so that nothing moves when it comes or goes.
 */
export function AdConsent({ pixelId, productName }: AdConsentProps) {
  const consent = useSyncExternalStore(onAdConsentChange, getAdConsent, () => "unknown");
  const path = usePathname();

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page that is looked at counts
  useEffect(() => {
    if (consent === "allowed") tell(pixelId);
  }, [consent, path, pixelId]);

  if (consent !== null) return null;
  return (
    <section className="ad-consent" aria-labelledby={AD_QUESTION_ID}>
      <h2 id={AD_QUESTION_ID} tabIndex={-1} className="ad-consent-title">
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
