import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Account, Board, Privacy } from "./model.ts";

/** An account in `accounts.json`: its boards, or how many boards to generate. */
interface SeedAccount {
  username: string;
  about: string;
  businessName?: string;
  /** Null for an account too new to have any; generated if absent. */
  monthlyViews?: number | null;
  lacksTrends?: boolean;
  boards?: { name: string; description?: string | null; privacy?: Privacy; sections?: string[] }[];
  generatedBoards?: number;
}

const FIRST_BOARD_AT = Date.UTC(2021, 2, 8, 9, 30);
const BOARD_GAP_MS = 5 * 24 * 3600 * 1000;

const BOARD_ADJECTIVES =
  "Green Narrow Sunlit Borrowed Painted Panelled Crooked Quiet Northern Salvaged Whitewashed Shared Winter Tiled Folding Attic Courtyard Lamplit".split(
    " ",
  );
const BOARD_NOUNS =
  "hallways,kitchens,reading corners,bathrooms,studios,landings,window seats,pantries,bedrooms,workshops,stairs,porches,alcoves,writing desks,guest rooms".split(
    ",",
  );

/** The accounts every stand-in starts with: always the same ids, boards and counts. */
export function seedAccounts(): Account[] {
  const seeds: SeedAccount[] = JSON.parse(readFileSync(new URL("accounts.json", import.meta.url), "utf8"));
  return seeds.map(toAccount);
}

/** Creates an account on request; the same name always gives the same ids. */
export function makeAccount(username: string, boardCount: number): Account {
  return toAccount({ username, about: "Made for a test.", generatedBoards: boardCount });
}

/** Generates a board: some are secret, some protected, some have no description. */
function generatedBoard(index: number): { name: string; description: string | null; privacy: Privacy } {
  const noun = BOARD_NOUNS[index % BOARD_NOUNS.length] ?? "";
  const round = Math.floor(index / BOARD_NOUNS.length);
  const adjective = BOARD_ADJECTIVES[round % BOARD_ADJECTIVES.length] ?? "";
  const volume = Math.floor(round / BOARD_ADJECTIVES.length);
  const fallback = index % 31 === 30 ? "PROTECTED" : "PUBLIC";
  return {
    name: volume === 0 ? `${adjective} ${noun}` : `${adjective} ${noun}, volume ${volume + 1}`,
    description: index % 4 === 3 ? null : `${adjective} ${noun} in less space than you would think.`,
    privacy: index % 23 === 22 ? "SECRET" : fallback,
  };
}

function toAccount(seed: SeedAccount): Account {
  const { username, about, businessName, monthlyViews, lacksTrends = false, boards, generatedBoards = 0 } = seed;
  const id = numericId(`account ${username}`);
  const boardSeeds: NonNullable<SeedAccount["boards"]> =
    boards ?? Array.from({ length: generatedBoards }, (_, index) => generatedBoard(index));
  const newBoards = boardSeeds.map(({ name, description = null, privacy = "PUBLIC", sections = [] }, index): Board => {
    const boardId = numericId(`board ${username} ${index}`);
    return {
      id: boardId,
      accountId: id,
      ...{ name, description, privacy },
      followers: between(boardId, 3, 900),
      earlierPins: between(`${boardId} pins`, 4, 180),
      sections: sections.map((title, at) => ({ id: numericId(`section ${boardId} ${at}`), name: title })),
      createdAt: new Date(FIRST_BOARD_AT + index * BOARD_GAP_MS).toISOString(),
    };
  });
  return {
    id,
    username,
    accountType: businessName === undefined ? "PINNER" : "BUSINESS",
    about,
    businessName: businessName ?? null,
    websiteUrl: `https://${username.replaceAll(".", "-")}.example.com`,
    earlierPins: newBoards.reduce((sum, board) => sum + board.earlierPins, 0),
    followers: between(`${id} followers`, 120, 48_000),
    following: between(`${id} following`, 20, 700),
    monthlyViews: monthlyViews === undefined ? between(`${id} views`, 4_000, 930_000) : monthlyViews,
    lacksTrends,
    boards: newBoards,
  };
}

/** Eighteen digits like real ids, derived from a text so that restarts keep them. */
function numericId(text: string): string {
  return String(100_000_000_000_000_000n + (digest(text) % 900_000_000_000_000_000n));
}

function between(text: string, min: number, max: number): number {
  return min + Number(digest(text) % BigInt(max - min + 1));
}

function digest(text: string): bigint {
  return BigInt(`0x${createHash("sha256").update(text).digest("hex").slice(0, 24)}`);
}
