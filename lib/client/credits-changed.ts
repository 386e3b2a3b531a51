const EVENT = "credits-changed";

/** Tells every part of the page that the balance may have changed. */
export const announceCredits = (): void => {
  window.dispatchEvent(new Event(EVENT));
};

/** Calls back whenever the balance may have changed; returns how to stop. */
export const onCreditsChanged = (listener: () => void): (() => void) => {
  window.addEventListener(EVENT, listener);
  return () => window.removeEventListener(EVENT, listener);
};
