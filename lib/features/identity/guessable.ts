import "server-only";
import { AppError } from "#lib/core/errors.ts";
import { COMMON_PASSWORDS } from "./common-passwords.ts";
import { uniqueKey } from "./policy.ts";

/** Letters and digits that may surround a known word without making it hard to guess: a year, `123!`, an initial. */
const ENDING_MAX = 4;
/** Shorter words occur in too many good passwords, so they count only as the whole of its letters. */
const INNER_WORD_MIN = 5;
const PERSONAL_WORD_MIN = 3;
const DISTINCT_MIN = 5;

const INNER_WORDS = [...COMMON_PASSWORDS].filter((word) => word.length >= INNER_WORD_MIN);

/** The alphabet, rows and columns of keyboards, and digits; also backward. */
const SEQUENCES = [
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "qazwsxedcrfvtgbyhnujmikolp",
  "1q2w3e4r5t6y7u8i9o0p",
  "12345678901234567890",
].flatMap((row) => [row, [...row].reverse().join("")]);

const plain = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");

const REPLACED: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "8": "b",
  "3": "e",
  "1": "i",
  "!": "i",
  "|": "l",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
  "+": "t",
};
const unreplaced = (text: string, one: "i" | "l"): string =>
  text.replace(/[@483150!|$7+]/g, (char) => (char === "1" ? one : (REPLACED[char] ?? char)));

/** What the password may be meant to read: without symbols, and with letters in place of those that look like them. */
const readingsOf = (password: string): Set<string> => {
  const text = uniqueKey(password);
  const [, before = "", middle = "", after = ""] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/su.exec(text) ?? [];
  const ones = ["i", "l"] as const;
  const whole = ones.map((one) => unreplaced(text, one));
  const inner = ones.map((one) => `${before}${unreplaced(middle, one)}${after}`);
  return new Set([text, ...whole, ...inner].map(plain));
};

const isMostly = (reading: string, word: string): boolean => {
  if (!reading.includes(word)) return false;
  const rest = reading.replaceAll(word, "");
  return rest.length <= ENDING_MAX || COMMON_PASSWORDS.has(rest);
};

const isKnown = (reading: string): boolean => {
  const letters = reading.replace(/\P{L}/gu, "");
  if (COMMON_PASSWORDS.has(letters) && reading.length - letters.length <= ENDING_MAX) return true;
  return COMMON_PASSWORDS.has(reading) || INNER_WORDS.some((word) => isMostly(reading, word));
};

const isSequence = (reading: string): boolean =>
  reading.length >= INNER_WORD_MIN && SEQUENCES.some((row) => row.includes(reading));

/** One of the best-known passwords, a run on the keyboard or few characters repeated, apart from a short ending. */
const isCommon = (password: string): boolean =>
  new Set(uniqueKey(password)).size < DISTINCT_MIN ||
  [...readingsOf(password)].some((reading) => isKnown(reading) || isSequence(reading));

/** What a password must not mostly consist of. */
export interface KnownWords {
  email: string;
  username: string;
  firstName: string;
  lastName: string;
}

const wordsOf = ({ email, username, firstName, lastName }: KnownWords, productName: string): string[] => {
  const [local = "", domain = ""] = email.split("@");
  return [email, local, domain.split(".")[0] ?? "", username, firstName, lastName, firstName + lastName, productName]
    .map((word) => plain(uniqueKey(word)))
    .filter((word) => word.length >= PERSONAL_WORD_MIN);
};

const isPersonal = (password: string, words: readonly string[]): boolean =>
  [...readingsOf(password)].some((reading) => words.some((word) => isMostly(reading, word)));

export const GUESSABLE_TEXTS = {
  common: "This password is one of the first that attackers try. Please choose another one.",
  personal: (productName: string) =>
    `This password is mostly your name, your email, or "${productName}". Please choose another one.`,
} as const;

/** @throws AppError `invalid` for the given field */
export const refuseGuessable = (password: string, known: KnownWords & { productName: string; field: string }): void => {
  const { productName, field } = known;
  const isOwn = isPersonal(password, wordsOf(known, productName));
  if (!isOwn && !isCommon(password)) return;
  const text = isOwn ? GUESSABLE_TEXTS.personal(productName) : GUESSABLE_TEXTS.common;
  throw new AppError("invalid", { text, fields: { [field]: [text] } });
};
