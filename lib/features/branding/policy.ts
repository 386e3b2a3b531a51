import { CONTRAST_MIN, contrastOf } from "#lib/core/contrast.ts";
import type { BrandColors } from "#lib/core/images.ts";

/** Excludes symbols that the fonts include. */
const EMOJI =
  /(?![©®™‼⁉ℹ↔-↙])[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]|[\ufe0e\ufe0f\u20e3]/gu;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu;
const STACKED_MARKS = /(\p{M}{2})\p{M}+/gu;

/** Removes emoji, which the fonts lack, and invisible characters. The result may be empty. */
export const textForImage = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\ufffd/g, "")
    .normalize("NFC")
    .replace(/\s/g, " ")
    .replace(EMOJI, "")
    .replace(INVISIBLE, "")
    .replace(STACKED_MARKS, "$1")
    .replace(/ {2,}/g, " ")
    .trim();

export const losesCharacters = (text: string): boolean =>
  textForImage(text) !== text.toWellFormed().normalize("NFC").replace(/\s+/g, " ").trim();

/** Drawing falls back to another color when it is not enough. */
export const measureContrast = ({ panel, words }: BrandColors): { contrast: number; isEnough: boolean } => {
  const contrast = contrastOf(panel, words);
  return { contrast, isEnough: contrast >= CONTRAST_MIN };
};
