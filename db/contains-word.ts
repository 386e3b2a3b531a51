import { type SQL, sql } from "drizzle-orm";

/** An index by pg_trgm knows words by three letters in a row of the alphabet that every database takes for letters. */
const isIndexed = (word: string): boolean => /[a-z0-9]{3}/.test(word);

/** Whether a text in lower case contains a word in lower case; in a form that an index of the same text can answer. */
export const containsWord = (text: SQL, word: string): SQL =>
  isIndexed(word) ? sql`${text} like ${`%${word.replace(/[\\%_]/g, "\\$&")}%`}` : sql`strpos(${text}, ${word}) > 0`;
