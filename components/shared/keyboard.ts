"use client";

import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { readStored, writeStored } from "#lib/client/browser-storage.ts";
import { SINGLE_KEYS_KEY } from "./shortcuts.ts";

type Press = (letter: string) => boolean;

let current: Press | null = null;

/** Presses a letter of the screen that is shown. @returns whether it has that letter. */
export const pressScreenKey: Press = (letter) => current?.(letter) ?? false;

/**
 * Gives the screen that is shown letters of its own, heard where those of the whole area are: not while typing, with
 * something open, after `g`, or with single keys switched off.
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

const never = () => () => {};

/** Whether this is a machine with a ⌘ key. */
export function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

/** The same for what is painted; the server paints the other. */
export function useApple(): boolean {
  return useSyncExternalStore(never, isApple, () => false);
}
