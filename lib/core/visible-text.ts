/**
 * A text from outside as it is stored. PostgreSQL takes no NUL, and no reader can see the other control characters.
 * Letters are composed, as a search asks for them: names of files come decomposed from some systems.
 */
export const visible = (value: string): string =>
  value
    .toWellFormed()
    .replace(/[\p{Cc}--[\n]]/gv, "")
    .normalize("NFC")
    .trim();
