import { insertPins } from "./quick.ts";

/** What of a pin a test of the library tells apart. */
export interface WallPin {
  title: string;
  keyword?: string | null;
  status?: "draft" | "scheduled" | "published" | "failed";
}

/** So many drafts: 'Draft 1' is on top. */
export const drafts = (count: number): WallPin[] =>
  Array.from({ length: count }, (_, n) => ({ title: `Draft ${n + 1}` }));

/** Inserts pins of an account, the first of them on top. */
export const fillWall = async (accountId: string, wanted: readonly WallPin[]): Promise<void> => {
  await insertPins(accountId, wanted);
};
