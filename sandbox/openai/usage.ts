import { openJournal } from "#sandbox/kit/journal.ts";

/** One answered call, as the journal keeps it. */
export type UsageEntry = {
  at: string;
  kind: "text" | "image";
  model: string;
  /** Pictures made; 0 for text. */
  images: number;
  inputTokens: number;
  outputTokens: number;
};

/** Everything answered since the stand-in's data began. */
export type UsageTotals = { textRequests: number; imageRequests: number; images: number; tokens: number };

export interface UsageBook {
  record(entry: Omit<UsageEntry, "at">): void;
  totals(): UsageTotals;
  clear(): void;
  close(): void;
}

const NOTHING: UsageTotals = { textRequests: 0, imageRequests: 0, images: 0, tokens: 0 };

/** Counters that survive a restart, kept in a journal at `path`. */
export function openUsageBook(path: string): UsageBook {
  const journal = openJournal<UsageEntry>(path);
  let totals = journal.entries.reduce(add, NOTHING);
  return {
    record(entry) {
      const dated = { at: new Date().toISOString(), ...entry };
      journal.append(dated);
      totals = add(totals, dated);
    },
    totals: () => totals,
    clear() {
      journal.clear();
      totals = NOTHING;
    },
    close: () => journal.close(),
  };
}

function add(totals: UsageTotals, entry: UsageEntry): UsageTotals {
  return {
    textRequests: totals.textRequests + (entry.kind === "text" ? 1 : 0),
    imageRequests: totals.imageRequests + (entry.kind === "image" ? 1 : 0),
    images: totals.images + entry.images,
    tokens: totals.tokens + entry.inputTokens + entry.outputTokens,
  };
}

/** The stand-in counts four characters to a token. */
export const CHARS_PER_TOKEN = 4;

/** A usable estimate: four characters to a token, never none. */
export function estimateTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / CHARS_PER_TOKEN));
}
