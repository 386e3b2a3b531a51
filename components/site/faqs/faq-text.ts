/** A piece of an answer: words, or a link with its words. */
export type FaqPiece = string | { words: string; href: string };

export type FaqItem = { id: string; question: string; answer: readonly FaqPiece[] };
export type FaqCategory = { id: string; title: string; items: readonly FaqItem[] };

/** An answer without its links, for machines (JSON-LD) and search. */
export const plainAnswer = ({ answer }: FaqItem): string =>
  answer.map((piece) => (typeof piece === "string" ? piece : piece.words)).join("");
