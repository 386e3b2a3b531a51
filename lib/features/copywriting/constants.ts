/** What was wrong with a text that wasn't used, after it was sent back once. */
const COPY_FAULTS = {
  invented_number: "adding numbers that aren't on your page or in your keyword",
  avoided_word: "using words that your brand voice avoids",
  not_plain: "adding markup, web addresses, or remarks",
  wrong_language: "writing in the wrong language",
  off_keyword: "writing about something other than your keyword",
  stuffed: "repeating words or hashtags",
  banned_claim: "making promises that Pinterest doesn't allow, or that no one can check",
  near_duplicate: "repeating the title of another pin on this account",
} as const;
export type CopyFault = keyof typeof COPY_FAULTS;

export const rejectedText = (fault: CopyFault): string =>
  `The AI kept ${COPY_FAULTS[fault]}, so we didn't use its text. Please try again.`;
