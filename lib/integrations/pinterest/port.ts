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
    | "restricted" // 401/3: a beta that our app is not let into; nothing is wrong with the connection
    | "rejected" // permanent for this request
    | "unavailable"; // 5xx, network, timeout, unreadable answer: for a write, the outcome is unknown
  text: string;
  retryAfterSeconds?: number;
  httpStatus?: number;
  providerCode?: number;
  providerMessage?: string;
}

export type PinterestAnswer<T> = { kind: "ok"; value: T } | { kind: "problem"; problem: PinterestProblem };

/** How many calls of a kind Pinterest still allows, as far as it tells, and when it counts anew. */
export interface CallsLeft {
  calls: number;
  resetSeconds: number;
}

/** An answer to a call for figures. `callsLeft` is null where Pinterest tells nothing. */
export type FiguresAnswer<T> =
  | { kind: "ok"; value: T; callsLeft: CallsLeft | null }
  | { kind: "problem"; problem: PinterestProblem };

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

/** Days in UTC as `2026-11-20`, both included; at most 90 days back, and none of the future. */
export interface DaySpan {
  firstDay: string;
  lastDay: string;
}

/** Whole numbers from 0. */
export interface PinterestPinFigures {
  impressions: number;
  pinClicks: number;
  outboundClicks: number;
  saves: number;
}

export interface PinterestAccountFigures extends PinterestPinFigures {
  engagements: number;
}

/**
 * A day in UTC. Only final days (`ready`) have figures: `processing` ones come later, of `unknown` ones Pinterest tells
 * nothing that can be believed.
 */
export type PinterestDay<F> =
  | { date: string; status: "ready"; figures: F }
  | { date: string; status: "processing" | "unknown"; figures: null };

/** One of the best pins of an account. */
export interface PinterestTopPin {
  pinterestPinId: string;
  figures: PinterestAccountFigures;
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
  /** What the account did: every day of the span once, in order. */
  readAccountAnalytics(
    accessToken: string,
    span: DaySpan,
  ): Promise<FiguresAnswer<PinterestDay<PinterestAccountFigures>[]>>;
  /** The account's best pins of a span, best first, at most 50; only those whose figures are final. */
  readTopPins(
    accessToken: string,
    input: DaySpan & { sortBy: keyof PinterestAccountFigures; count: number },
  ): Promise<FiguresAnswer<PinterestTopPin[]>>;
  /** What one pin did: every day of the span once, in order. */
  readPinAnalytics(
    accessToken: string,
    pinterestPinId: string,
    span: DaySpan,
  ): Promise<FiguresAnswer<PinterestDay<PinterestPinFigures>[]>>;
  /**
   * The same of 1 to 100 pins, by id. Pins may be missing: Pinterest left them out, or told nothing readable of them.
   * A beta: `restricted` where our app is not let in. One pin that is gone has the whole call refused.
   */
  readPinsAnalytics(
    accessToken: string,
    pinterestPinIds: readonly string[],
    span: DaySpan,
  ): Promise<FiguresAnswer<Map<string, PinterestDay<PinterestPinFigures>[]>>>;
  profileUrl(username: string): string;
  pinUrl(pinterestPinId: string): string;
}
