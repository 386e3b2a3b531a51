import { insertPins } from "./quick.ts";

export interface PinSeed {
  title: string;
  keyword?: string | null;
  status?: "draft" | "scheduled" | "published" | "failed";
}

/** Drafts called 'Draft 1', 'Draft 2' and so on, 'Draft 1' first. */
export const drafts = (count: number): PinSeed[] =>
  Array.from({ length: count }, (_, n) => ({ title: `Draft ${n + 1}` }));

/** Inserts pins of an account in list order. */
export const seedPins = async (accountId: string, wanted: readonly PinSeed[]): Promise<void> => {
  await insertPins(accountId, wanted);
};
