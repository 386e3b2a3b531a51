import { CONTRAST_MIN, contrastOf } from "#lib/core/contrast.ts";
import type { BrandColours } from "#lib/core/images.ts";

/** Little pictures among letters, and what joins or colours them; signs that faces have as letters stay. */
const EMOJI =
  /(?![©®™‼⁉ℹ↔-↙])[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]|[\ufe0e\ufe0f\u20e3]/gu;
/** What cannot be seen, or turns the direction of what stands beside it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu;
/** Marks piled upon a letter, from the third on. */
const PILED = /(\p{M}{2})\p{M}+/gu;

/**
 * What of a text is written on a picture: its letters, without emoji (the faces have none) and without what cannot be
 * seen. @returns may be empty.
 */
export const wordsForPicture = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\ufffd/g, "")
    .normalize("NFC")
    .replace(/\s/g, " ")
    .replace(EMOJI, "")
    .replace(UNSEEN, "")
    .replace(PILED, "$1")
    .replace(/ {2,}/g, " ")
    .trim();

/** Whether something of a text is not written on the picture. */
export const leavesOut = (text: string): boolean =>
  wordsForPicture(text) !== text.toWellFormed().normalize("NFC").replace(/\s+/g, " ").trim();

/** Contrast of the words on their panel, and whether it is enough; where it is not, another colour is taken. */
export const judgeColours = ({ panel, words }: BrandColours): { contrast: number; isEnough: boolean } => {
  const contrast = contrastOf(panel, words);
  return { contrast, isEnough: contrast >= CONTRAST_MIN };
};
