"use client";

import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { pressScreenKey } from "#components/shell/screen-keys.ts";
import { isPaletteKey, isSomethingOpen, isTypedInto, readSingleKey, SEQUENCE_MS } from "#components/shell/shortcuts.ts";
import { hasSingleKeys } from "#components/shell/single-keys.ts";
import { isApple } from "#components/shell/use-apple.ts";

type CommandKeys = {
  /** The area the keys work on; while it is inert they do nothing. */
  frame: RefObject<HTMLElement | null>;
  isPaletteOpen: boolean;
  onPalette: () => void;
  onShortcuts: () => void;
  onScreen: (letter: string) => void;
};

/**
 * Hears the shortcuts of the signed-in area. Single keys are left alone where they would write something, while a
 * dialog is open, and where they are switched off (WCAG 2.1.4).
 */
export const useCommandKeys = (keys: CommandKeys): void => {
  const prefixAt = useRef(Number.NEGATIVE_INFINITY);

  const readSingle = (event: KeyboardEvent): void => {
    if (!hasSingleKeys() || isTypedInto(event.target) || isSomethingOpen()) return;
    const asked = readSingleKey(event, event.timeStamp - prefixAt.current < SEQUENCE_MS);
    // A modifier on its way down does not end a sequence.
    if (event.key.length === 1) prefixAt.current = Number.NEGATIVE_INFINITY;
    if (asked === null || (asked.kind === "letter" && !pressScreenKey(asked.letter))) return;
    event.preventDefault();
    if (asked.kind === "prefix") prefixAt.current = event.timeStamp;
    if (asked.kind === "shortcuts") keys.onShortcuts();
    if (asked.kind === "screen") keys.onScreen(asked.letter);
  };

  const hear = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    if (keys.frame.current?.closest("[inert]")) return;
    if (!isPaletteKey(event, isApple())) return readSingle(event);
    event.preventDefault();
    if (keys.isPaletteOpen || !isSomethingOpen()) keys.onPalette();
  });

  useEffect(() => {
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  }, []);
};
