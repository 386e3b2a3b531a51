import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { FontPairing } from "#lib/core/picture-templates.ts";
import { TEXTS } from "./constants.ts";
import { wordsForPicture } from "./policy.ts";

interface Writing {
  words: string;
  signature: string;
  fontPairing: FontPairing;
}

const missingText = (missing: readonly string[]): string => {
  const shown = missing.slice(0, 8).join(" ");
  const more = missing.length > 8 ? " and more" : "";
  return `The fonts have no letters for: ${shown}${more}. Write other words for the picture.`;
};

/**
 * What is written on a picture: letters that can be seen, and that the faces have.
 * @throws AppError `invalid` when nothing is left, or the faces lack a letter: a picture with empty boxes is never made.
 */
export const chooseWords = (ctx: Ctx<"pictures">, asked: Writing): Pick<Writing, "words" | "signature"> => {
  const chosen = { words: wordsForPicture(asked.words), signature: wordsForPicture(asked.signature) };
  const refuse = (text: string) => new AppError("invalid", { text, fields: { words: [text] } });
  if (chosen.words === "") throw refuse(TEXTS.nothingToWrite);
  const missing = ctx.pictures.missingLetters({ fontPairing: asked.fontPairing, ...chosen });
  if (missing.length > 0) throw refuse(missingText(missing));
  return chosen;
};
