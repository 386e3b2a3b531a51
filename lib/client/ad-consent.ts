import { readStored, writeStored } from "./browser-storage.ts";

/** A visitor's choice about the ad pixel; null until they choose. */
export type AdConsent = "allowed" | "refused" | null;

export const AD_CONSENT_KEY = "adConsent";
const CHANGED = "ad-consent-changed";

export const getAdConsent = (): AdConsent => {
  const saved = readStored(AD_CONSENT_KEY);
  return saved === "allowed" || saved === "refused" ? saved : null;
};

const notify = (): void => {
  window.dispatchEvent(new Event(CHANGED));
};

export const setAdConsent = (choice: "allowed" | "refused"): void => {
  writeStored(AD_CONSENT_KEY, choice);
  notify();
};

let isReopened = false;

/** Returns true once after the visitor reopened the banner, so that it takes the focus. */
export const takeReopened = (): boolean => {
  const was = isReopened;
  isReopened = false;
  return was;
};

export const reopenAdConsent = (): void => {
  isReopened = true;
  writeStored(AD_CONSENT_KEY, null);
  notify();
};

export const onAdConsentChange = (listener: () => void): (() => void) => {
  const names = ["storage", CHANGED];
  for (const name of names) window.addEventListener(name, listener);
  return () => {
    for (const name of names) window.removeEventListener(name, listener);
  };
};
