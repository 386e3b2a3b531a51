import { randomInt } from "node:crypto";
import type { Context } from "hono";
import type { StandInEnv } from "../kit/serve.ts";
import { findGrant } from "./authorize.ts";
import { parseObject } from "./refusals.ts";
import type { Pinterest } from "./wire.ts";

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
  | { kind: "board"; board: Board }
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

/** Faults can be aimed with `where: {account, board, title, link, pin}`; on the token call with `where: {account, grant}`. */
export async function labelsOf(pinterest: Pinterest, c: Context<StandInEnv>): Promise<Record<string, string>> {
  const { store } = pinterest;
  const form = c.req.path.endsWith("/oauth/token") ? new URLSearchParams(await c.req.text()) : undefined;
  const accountId =
    findGrant(pinterest, c.req.header("authorization"))?.accountId ??
    store.state.codes.get(form?.get("code") ?? "")?.accountId ??
    store.state.byRefreshToken.get(form?.get("refresh_token") ?? "")?.accountId;
  const account = accountId === undefined ? undefined : store.state.accounts.get(accountId)?.username;
  return {
    ...texts({ account, grant: form?.get("grant_type") }),
    ...(form === undefined ? await bodyLabels(c) : {}),
  };
}

/** The consent form can be aimed at with `where: {account, decision}`. */
export async function decisionLabels(c: Context<StandInEnv>): Promise<Record<string, string>> {
  if (c.req.method !== "POST") return {};
  const form = new URLSearchParams(await c.req.text());
  return texts({ account: form.get("username"), decision: form.get("decision") });
}

/** Which pins a call reads, all of them where it reads many: `*` on both sides finds one of them. */
function pinsOf(c: Context<StandInEnv>): string | undefined {
  return c.req.query("pin_ids") ?? /^\/v5\/pins\/(\d+)/.exec(c.req.path)?.[1];
}

async function bodyLabels(c: Context<StandInEnv>): Promise<Record<string, string>> {
  const fromPath = /^\/v5\/boards\/(\d+)/.exec(c.req.path)?.[1];
  if (c.req.method !== "POST" && c.req.method !== "PATCH") return texts({ board: fromPath, pin: pinsOf(c) });
  const body = parseObject(await c.req.text());
  return texts({ board: body.board_id ?? fromPath, title: body.title ?? body.name, link: body.link });
}

function texts(found: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(found);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
