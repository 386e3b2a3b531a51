import { readStored, writeStored } from "./browser-storage.ts";

/** What a visitor said about the ad pixel; null before they said anything. */
export type AdConsent = "allowed" | "refused" | null;

/** Where the browser keeps the choice. */
export const AD_CONSENT_KEY = "adConsent";
const CHANGED = "ad-consent-changed";

/** The kept choice. Whatever else stands under its key counts as none. */
export const getAdConsent = (): AdConsent => {
  const kept = readStored(AD_CONSENT_KEY);
  return kept === "allowed" || kept === "refused" ? kept : null;
};

const announce = (): void => {
  window.dispatchEvent(new Event(CHANGED));
};

/** Keeps a choice in this browser, until it is changed. */
export const setAdConsent = (choice: "allowed" | "refused"): void => {
  writeStored(AD_CONSENT_KEY, choice);
  announce();
};

let isReopened = false;

/** Whether the question is put because its reader asked for it; true once. */
export const takeReopened = (): boolean => {
  const was = isReopened;
  isReopened = false;
  return was;
};

/** Forgets the choice, so that the question is put again. */
export const reopenAdConsent = (): void => {
  isReopened = true;
  writeStored(AD_CONSENT_KEY, null);
  announce();
};

/** Calls back when the choice changes, in this tab or another; returns how to stop. */
export const onAdConsentChange = (listener: () => void): (() => void) => {
  const names = ["storage", CHANGED];
  for (const name of names) window.addEventListener(name, listener);
  return () => {
    for (const name of names) window.removeEventListener(name, listener);
  };
};
