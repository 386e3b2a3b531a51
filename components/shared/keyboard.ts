"use client";

import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { readStored, writeStored } from "#lib/client/browser-storage.ts";
import { noSubscription } from "#lib/client/no-subscription.ts";
import { SINGLE_KEYS_KEY } from "./shortcuts.ts";

type Press = (letter: string) => boolean;

let current: Press | null = null;

/** Runs the current screen's shortcut for a letter. @returns false when the screen has none */
export const pressScreenKey: Press = (letter) => current?.(letter) ?? false;

/**
 * Registers shortcuts of the current screen. They are ignored while typing, while a dialog is open, after `g`, and when
 * single-key shortcuts are off.
 */
export const useScreenKeys = (keys: Readonly<Record<string, () => void>>): void => {
  const press = useEffectEvent((letter: string): boolean => {
    const act = Object.hasOwn(keys, letter) ? keys[letter] : undefined;
    act?.();
    return act !== undefined;
  });
  useEffect(() => {
    const own: Press = (letter) => press(letter);
    current = own;
    return () => {
      if (current === own) current = null;
    };
  }, []);
};

const CHANGED = "single-keys-changed";

function subscribe(listener: () => void): () => void {
  const names = ["storage", CHANGED];
  for (const name of names) window.addEventListener(name, listener);
  return () => {
    for (const name of names) window.removeEventListener(name, listener);
  };
}

/** Whether single-key shortcuts are on, which is the default. WCAG 2.1.4 requires a way to turn them off. */
export function hasSingleKeys(): boolean {
  return readStored(SINGLE_KEYS_KEY) !== "off";
}

/** Turns single-key shortcuts on or off in this browser. */
export function setSingleKeys(isOn: boolean): void {
  writeStored(SINGLE_KEYS_KEY, isOn ? null : "off");
  window.dispatchEvent(new Event(CHANGED));
}

/** Like `hasSingleKeys`, as a hook. */
export function useSingleKeys(): boolean {
  return useSyncExternalStore(subscribe, hasSingleKeys, () => true);
}

/** Whether this device has a ⌘ key. */
export function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

/** Like `isApple`, as a hook; false on the server. */
export function useApple(): boolean {
  return useSyncExternalStore(noSubscription, isApple, () => false);
}
