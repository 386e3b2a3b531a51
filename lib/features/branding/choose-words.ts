import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { FontPairing } from "#lib/core/picture-templates.ts";
import { TEXTS } from "./constants.ts";
import { wordsForPicture } from "./policy.ts";

interface Writing {
  words: string;
  signature: string;
  fontPairing: FontPairing;
}

/** What is written, or which of the two texts cannot be, and why in one sentence. */
export type ChosenWords =
  | { kind: "written"; words: string; signature: string }
  | { kind: "unwritable"; part: "words" | "signature"; text: string };

const missingText = (missing: readonly string[]): string => {
  const shown = missing.slice(0, 8).join(" ");
  const more = missing.length > 8 ? " and more" : "";
  return `The fonts have no letters for: ${shown}${more}.`;
};

/**
 * What is written on a picture: letters that can be seen, and that the faces have. A picture with empty boxes is never made:
 * where no words are left, or the faces lack a letter, it says so instead.
 */
export const chooseWords = (ctx: Ctx<"pictures">, asked: Writing): ChosenWords => {
  const { fontPairing } = asked;
  const [words, signature] = [wordsForPicture(asked.words), wordsForPicture(asked.signature)];
  const ofSignature = ctx.pictures.missingLetters({ fontPairing, words: "", signature });
  if (ofSignature.length > 0) return { kind: "unwritable", part: "signature", text: missingText(ofSignature) };
  if (words === "") return { kind: "unwritable", part: "words", text: TEXTS.nothingToWrite };
  const missing = ctx.pictures.missingLetters({ fontPairing, words, signature: "" });
  if (missing.length > 0) return { kind: "unwritable", part: "words", text: missingText(missing) };
  return { kind: "written", words, signature };
};
