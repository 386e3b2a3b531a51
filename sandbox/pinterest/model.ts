import { randomInt } from "node:crypto";

export type Privacy = "PUBLIC" | "PROTECTED" | "SECRET";

/** An account. Counts may be unknown, as in the real service. */
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
  /** Whether Pinterest refuses it search trends. */
  lacksTrends: boolean;
  boards: Board[];
}

export interface Section {
  id: string;
  name: string;
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
  sections?: Section[];
  /** ISO 8601 in UTC. */
  createdAt: string;
}

/** One image of a carousel. */
export interface Slide {
  title: string | null;
  description: string | null;
  link: string | null;
  image: Pin["image"];
}

export interface Media {
  id: string;
  accountId: string;
  /** A secret of the upload form. */
  policy: string;
  uploadedAt?: string;
  isVideo?: boolean;
  /** Its file, next to the images. */
  video?: string;
}

/** A pin published through the API. Its image is stored next to the journal as `image.file`. */
export interface Pin {
  id: string;
  accountId: string;
  boardId: string;
  boardSectionId?: string | null;
  title: string | null;
  description: string | null;
  link: string | null;
  altText: string | null;
  dominantColor: string | null;
  aiDisclosures: { values: string[] } | null;
  /** The image, the cover of the video, or the first slide. */
  image: { file: string; contentType: ImageType; widthPx: number; heightPx: number };
  /** The file of a video pin. */
  video?: string;
  /** Of a carousel, in order. */
  slides?: Slide[];
  /** ISO 8601 in UTC. */
  createdAt: string;
}

/** Multiplies the click probability of pins whose title or description contains all of these words. */
export interface PlantedRule {
  words: string;
  factor: number;
}

/** The image types that Pinterest accepts as base64. */
type ImageType = "image/jpeg" | "image/png";

export interface AuthorizationCode {
  code: string;
  redirectUri: string;
  accountId: string;
  scopes: string[];
  issuedAt: string;
}

/** A pair of tokens issued together. */
export interface Grant {
  accountId: string;
  scopes: string[];
  accessToken: string;
  accessExpiresAt: string;
  refreshToken: string;
  refreshExpiresAt: string;
}

/** A journal entry. The state is the seeded accounts with all entries applied in order. */
export type PinterestEvent =
  | { kind: "account"; username: string; boardCount: number }
  | { kind: "renamed"; accountId: string; username: string }
  | { kind: "board"; board: Board }
  | { kind: "boardRemoved"; boardId: string }
  | { kind: "section"; boardId: string; section: Section }
  | { kind: "sectionRemoved"; boardId: string; sectionId: string }
  | { kind: "revoked"; accountId: string }
  | { kind: "expired"; accountId: string }
  | { kind: "code"; code: AuthorizationCode }
  | { kind: "grant"; grant: Grant; usedCode?: string; usedRefreshToken?: string }
  | { kind: "media"; media: Media }
  | { kind: "mediaUploaded"; mediaId: string; uploadedAt: string; isVideo: boolean }
  | { kind: "pin"; pin: Pin }
  | { kind: "pins"; pins: Pin[] }
  | { kind: "planted"; rule: PlantedRule | null }
  | { kind: "pinRemoved"; pinId: string };

/** Eighteen random digits, like real ids: they reveal neither order nor count. */
export function newId(isTaken: (id: string) => boolean): string {
  const id = `8${String(randomInt(1e8)).padStart(8, "0")}${String(randomInt(1e9)).padStart(9, "0")}`;
  return isTaken(id) ? newId(isTaken) : id;
}
