"use client";

import { useSyncExternalStore } from "react";
import { SINGLE_KEYS_KEY } from "#components/shell/shortcuts.ts";
import { readStored, writeStored } from "#lib/client/browser-storage.ts";

const CHANGED = "single-keys-changed";

function subscribe(listener: () => void): () => void {
  const names = ["storage", CHANGED];
  for (const name of names) window.addEventListener(name, listener);
  return () => {
    for (const name of names) window.removeEventListener(name, listener);
  };
}

/** Whether shortcuts of a single key are on, as they are unless switched off (WCAG 2.1.4). */
export function hasSingleKeys(): boolean {
  return readStored(SINGLE_KEYS_KEY) !== "off";
}

/** Switches the shortcuts of a single key on or off, in this browser. */
export function setSingleKeys(isOn: boolean): void {
  writeStored(SINGLE_KEYS_KEY, isOn ? null : "off");
  window.dispatchEvent(new Event(CHANGED));
}

/** The same for a switch on the screen. */
export function useSingleKeys(): boolean {
  return useSyncExternalStore(subscribe, hasSingleKeys, () => true);
}
