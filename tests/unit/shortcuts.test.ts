import { describe, expect, test } from "vitest";
import { isPaletteKey, type KeyPress, readSingleKey } from "#components/shared/shortcuts.ts";

const NO_KEY: KeyPress = { key: "", code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({ ...NO_KEY, key, ...more });

describe("keyboard shortcuts", () => {
  test("the palette opens with ⌘K on a Mac and Ctrl+K elsewhere, and with no other combination", () => {
    expect(isPaletteKey(press("k", { metaKey: true }), true)).toBe(true);
    expect(isPaletteKey(press("k", { ctrlKey: true }), true)).toBe(false);
    expect(isPaletteKey(press("k", { ctrlKey: true }), false)).toBe(true);
    expect(isPaletteKey(press("K", { ctrlKey: true }), false)).toBe(true);
    expect(isPaletteKey(press("k", { metaKey: true }), false)).toBe(false);
    for (const more of [{ altKey: true }, { shiftKey: true }, { metaKey: true }]) {
      expect(isPaletteKey(press("k", { ctrlKey: true, ...more }), false)).toBe(false);
    }
    expect(isPaletteKey(press("k"), false)).toBe(false);
  });

  test("layouts without Latin letters use the key positions", () => {
    expect(isPaletteKey(press("л", { ctrlKey: true, code: "KeyK" }), false)).toBe(true);
    expect(readSingleKey(press("п", { code: "KeyG" }), false)).toEqual({ kind: "prefix" });
    // On Dvorak the letter counts, not the position: KeyV types k.
    expect(isPaletteKey(press("k", { ctrlKey: true, code: "KeyV" }), false)).toBe(true);
    expect(isPaletteKey(press("t", { ctrlKey: true, code: "KeyK" }), false)).toBe(false);
  });

  test("? opens the list, g and a letter open a screen, and keys with modifiers are ignored", () => {
    expect(readSingleKey(press("?", { shiftKey: true }), false)).toEqual({ kind: "shortcuts" });
    expect(readSingleKey(press("g"), false)).toEqual({ kind: "prefix" });
    expect(readSingleKey(press("b"), true)).toEqual({ kind: "screen", letter: "b" });
    expect(readSingleKey(press("b"), false)).toEqual({ kind: "letter", letter: "b" });
    for (const key of ["Shift", "Enter", " ", "1"]) expect(readSingleKey(press(key), true)).toBeNull();
    for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) {
      expect(readSingleKey(press("g", more), false)).toBeNull();
      expect(readSingleKey(press("?", more), false)).toBeNull();
    }
  });
});
