import { randomInt } from "node:crypto";

/** Who can see a board. */
export type Privacy = "PUBLIC" | "PROTECTED" | "SECRET";

/** A Pinterest account of the stand-in. Counts may be unknown, as in the real service. */
export interface Account {
  id: string;
  username: string;
  accountType: "PINNER" | "BUSINESS";
  about: string;
  businessName: string | null;
  websiteUrl: string;
  /** Pins it had before anything was published here. */
  earlierPins: number;
  followers: number;
  following: number;
  monthlyViews: number | null;
  boards: Board[];
}

/** A board; its owner is the account that lists it. */
export interface Board {
  id: string;
  accountId: string;
  name: string;
  description: string | null;
  privacy: Privacy;
  followers: number;
  earlierPins: number;
  /** ISO 8601 in UTC. */
  createdAt: string;
}

/** A pin published through the API. Its picture lies beside the journal under `picture.file`. */
export interface Pin {
  id: string;
  accountId: string;
  boardId: string;
  title: string | null;
  description: string | null;
  link: string | null;
  altText: string | null;
  dominantColor: string | null;
  aiDisclosures: { values: string[] } | null;
  picture: { file: string; contentType: PictureType; widthPx: number; heightPx: number };
  /** ISO 8601 in UTC. */
  createdAt: string;
}

/** Pins whose title or description has all of these words lead so many times as often to a click on their link. */
export interface PlantedRule {
  words: string;
  factor: number;
}

/** The two picture types that Pinterest takes as base64. */
export type PictureType = "image/jpeg" | "image/png";

/** A consent that waits to be exchanged. */
export interface AuthorizationCode {
  code: string;
  clientId: string;
  redirectUri: string;
  accountId: string;
  scopes: string[];
  issuedAt: string;
}

/** A pair of tokens as handed out once. */
export interface Grant {
  accountId: string;
  clientId: string;
  scopes: string[];
  accessToken: string;
  accessExpiresAt: string;
  refreshToken: string;
  refreshExpiresAt: string;
}

/** What the journal holds. State is these, applied in order to the accounts of the fixed seed. */
export type PinterestEvent =
  | { kind: "account"; username: string; boardCount: number }
  | { kind: "renamed"; accountId: string; username: string }
  | { kind: "boardRemoved"; boardId: string }
  | { kind: "revoked"; accountId: string }
  | { kind: "expired"; accountId: string }
  | { kind: "code"; code: AuthorizationCode }
  | { kind: "grant"; grant: Grant; usedCode?: string; usedRefreshToken?: string }
  | { kind: "pin"; pin: Pin }
  | { kind: "pins"; pins: Pin[] }
  | { kind: "planted"; rule: PlantedRule | null }
  | { kind: "pinRemoved"; pinId: string };

/** Eighteen random digits, as the real ids look: neither order nor count can be read from them. */
export function newId(isTaken: (id: string) => boolean): string {
  const id = `8${String(randomInt(1e8)).padStart(8, "0")}${String(randomInt(1e9)).padStart(9, "0")}`;
  return isTaken(id) ? newId(isTaken) : id;
}
