/** A problem with a call to Pinterest, told in our words (BRIEF §3). `text` is safe to show to the account's owner. */
export interface PinterestProblem {
  kind:
    | "token_dead" // 401/2: refresh once, then the connection is broken
    | "missing_scope" // reconnect, naming the scope
    | "trial_access" // our app awaits Pinterest's approval
    | "rate_limited" // wait `retryAfterSeconds`, keep order
    | "spam_block" // pause this account for 24 hours
    | "busy" // 409: again in seconds
    | "not_found"
    | "rejected" // permanent for this request
    | "unavailable"; // 5xx, network, timeout, unreadable answer: for a write, the outcome is unknown
  text: string;
  retryAfterSeconds?: number;
  httpStatus?: number;
  providerCode?: number;
  providerMessage?: string;
}

export type PinterestAnswer<T> = { kind: "ok"; value: T } | { kind: "problem"; problem: PinterestProblem };

export interface PinterestTokens {
  accessToken: string;
  refreshToken: string;
  accessExpiresInSeconds: number;
  refreshExpiresInSeconds: number;
  /** Scopes that were granted, which may be fewer than asked. */
  scopes: string[];
}

/** Counts are null when Pinterest does not tell them. */
export interface PinterestProfile {
  pinterestUserId: string;
  username: string;
  boardCount: number | null;
  pinCount: number | null;
  followerCount: number | null;
  monthlyViews: number | null;
}

export interface PinterestBoard {
  id: string;
  name: string;
  description: string;
  /** PUBLIC, PROTECTED, SECRET, or a word we do not know yet. */
  privacy: string;
}

/** What create-pin needs. The picture is a JPEG and goes as base64 (D10). */
export interface NewPinterestPin {
  boardId: string;
  title: string;
  description: string;
  altText: string;
  link: string | null;
  jpeg: Uint8Array;
  /** True for pictures made by AI: sends `ai_disclosures`. */
  aiModified: boolean;
}

/** `unknown`: the pin may or may not exist; only looking can tell. `note` goes on the receipt. */
export type CreatePinOutcome =
  | { kind: "created"; pinterestPinId: string; httpStatus: number; note?: string }
  | { kind: "refused"; problem: PinterestProblem }
  | { kind: "unknown"; problem: PinterestProblem };

export interface PinterestBoardPin {
  id: string;
  title: string;
  description: string;
  link: string | null;
  createdAt: Date;
}

/** Pinterest, in the few calls that the product makes. No method throws for what Pinterest answers. */
export interface PinterestPort {
  /** The address of the consent page. */
  consentUrl(input: { state: string; redirectUri: string; scopes: readonly string[] }): string;
  exchangeCode(input: { code: string; redirectUri: string }): Promise<PinterestAnswer<PinterestTokens>>;
  refreshTokens(input: { refreshToken: string }): Promise<PinterestAnswer<PinterestTokens>>;
  readProfile(accessToken: string): Promise<PinterestAnswer<PinterestProfile>>;
  /** All boards: follows the paging to its end (R-BRD-07). */
  listBoards(accessToken: string): Promise<PinterestAnswer<PinterestBoard[]>>;
  createPin(accessToken: string, pin: NewPinterestPin): Promise<CreatePinOutcome>;
  /** The board's pins, newest first, back to a moment. */
  listBoardPinsSince(accessToken: string, boardId: string, since: Date): Promise<PinterestAnswer<PinterestBoardPin[]>>;
  profileUrl(username: string): string;
  pinUrl(pinterestPinId: string): string;
}
