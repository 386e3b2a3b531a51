import { useEffect, useEffectEvent } from "react";

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
