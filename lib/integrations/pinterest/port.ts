import type { Readable } from "node:stream";

/** `text` is safe to show to the account's owner. */
export interface PinterestProblem {
  kind:
    | "token_dead" // 401/2: refresh once, then the connection is broken
    | "missing_scope" // reconnect, naming the scope
    | "trial_access" // our app awaits Pinterest's approval
    | "rate_limited" // wait `retryAfterSeconds`, keep order
    | "spam_block" // pause this account for 24 hours
    | "busy" // 409: retry in seconds
    | "not_found"
    | "restricted" // 401/3: a beta that our app is not part of; the connection is fine
    | "rejected" // permanent for this request
    | "unavailable"; // 5xx, network, timeout, unreadable answer: for a write, the outcome is unknown
  text: string;
  retryAfterSeconds?: number;
  httpStatus?: number;
  providerCode?: number;
  providerMessage?: string;
}

export type PinterestResult<T> = { kind: "ok"; value: T } | { kind: "problem"; problem: PinterestProblem };

export interface CallsLeft {
  calls: number;
  resetSeconds: number;
}

/** The answer to an analytics call. `callsLeft` is null when Pinterest does not report it. */
export type MetricsAnswer<T> =
  | { kind: "ok"; value: T; callsLeft: CallsLeft | null }
  | { kind: "problem"; problem: PinterestProblem };

export interface PinterestTokens {
  accessToken: string;
  refreshToken: string;
  accessExpiresInSeconds: number;
  refreshExpiresInSeconds: number;
  scopes: string[];
}

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
  privacy: string;
}

export interface PinterestSection {
  id: string;
  name: string;
}

interface PinPlace {
  boardId: string;
  boardSectionId: string | null;
}

/** JPEGs are sent as base64. A video was uploaded before, and `mediaId` names it. */
export type NewPinMedia =
  | { kind: "image"; jpeg: Uint8Array }
  | { kind: "video"; mediaId: string; coverJpeg: Uint8Array }
  | { kind: "carousel"; slides: NewPinSlide[] };

/** All slides of a carousel have the same size. */
export interface NewPinSlide {
  jpeg: Uint8Array;
  title: string;
  description: string;
  link: string | null;
}

export interface NewPinterestPin extends PinPlace {
  title: string;
  description: string;
  altText: string;
  link: string | null;
  media: NewPinMedia;
  /** Whether the image is AI-generated: sends `ai_disclosures`. */
  aiModified: boolean;
}

/** `unknown`: the pin may or may not exist; only a board check can tell. `note` is for the attempt log. */
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
  /** The whole image in a middle size; null for formats without one. */
  imageUrl: string | null;
}

/** Days in UTC such as `2026-11-20`, both inclusive; at most 90 days back. */
export interface DaySpan {
  firstDay: string;
  lastDay: string;
}

export interface PinterestPinMetrics {
  impressions: number;
  pinClicks: number;
  outboundClicks: number;
  saves: number;
}

export interface PinterestAccountMetrics extends PinterestPinMetrics {
  engagements: number;
}

/** A day in UTC. Only final days (`ready`) have metrics; `processing` ones follow later. */
export type PinterestDay<F> =
  | { date: string; status: "ready"; metrics: F }
  | { date: string; status: "processing" | "unknown"; metrics: null };

export interface PinterestTopPin {
  pinterestPinId: string;
  metrics: PinterestAccountMetrics;
}

/** Searches in a week that ends on `endDay` (UTC), from 0 to 100: 100 is the keyword's own busiest week. */
export interface TrendWeek {
  endDay: string;
  value: number;
}

/** Growth in percent, from -10000 to 10000; 10001 means more than that. Null when Pinterest sends none. */
export interface PinterestTrend {
  keyword: string;
  growth: { week: number | null; month: number | null; year: number | null };
  /** The past year, oldest first. */
  history: TrendWeek[];
  /** The next three months; its scale of 0 to 100 is not that of `history`. Empty without a forecast. */
  forecast: TrendWeek[];
}

/** Empty lists do not filter. `region` and `type` as Pinterest names them. */
export interface TrendsQuery {
  region: string;
  type: string;
  interests: readonly string[];
  ages: readonly string[];
  genders: readonly string[];
  /** Only trends that include one of these. */
  keywords: readonly string[];
  /** A closed beta: `restricted` unless our app is part of it. */
  hasForecast: boolean;
}

/** A place in Pinterest's media library and the form that fills it. */
export interface VideoRegistration {
  mediaId: string;
  uploadUrl: string;
  parameters: Record<string, string>;
}

export interface VideoFile {
  body: Readable;
  bytes: number;
  contentType: "video/mp4" | "video/quicktime";
}

/** `registered`: no upload has arrived. Pinterest gives no reason for `failed`. */
export type VideoStatus = "registered" | "processing" | "succeeded" | "failed";

export interface PinterestPort {
  consentUrl(input: { state: string; redirectUri: string; scopes: readonly string[] }): string;
  exchangeCode(input: { code: string; redirectUri: string }): Promise<PinterestResult<PinterestTokens>>;
  refreshTokens(input: { refreshToken: string }): Promise<PinterestResult<PinterestTokens>>;
  readProfile(accessToken: string): Promise<PinterestResult<PinterestProfile>>;
  listBoards(accessToken: string): Promise<PinterestResult<PinterestBoard[]>>;
  /** Public. With the problem `unavailable` it may or may not exist. */
  createBoard(accessToken: string, board: { name: string }): Promise<PinterestResult<PinterestBoard>>;
  listBoardSections(accessToken: string, boardId: string): Promise<PinterestResult<PinterestSection[]>>;
  /** With the problem `unavailable` it may or may not exist. */
  createBoardSection(
    accessToken: string,
    section: { boardId: string; name: string },
  ): Promise<PinterestResult<PinterestSection>>;
  registerVideo(accessToken: string): Promise<PinterestResult<VideoRegistration>>;
  /** Streams the video. After a problem, only a new registration can be uploaded to. Destroys the stream. */
  uploadVideo(registration: VideoRegistration, video: VideoFile, signal: AbortSignal): Promise<PinterestResult<null>>;
  readVideoStatus(accessToken: string, mediaId: string): Promise<PinterestResult<VideoStatus>>;
  createPin(accessToken: string, pin: NewPinterestPin): Promise<CreatePinOutcome>;
  /** The pins of a board and, if one is named, of its section. */
  listBoardPinsSince(accessToken: string, place: PinPlace, since: Date): Promise<PinterestResult<PinterestBoardPin[]>>;
  /** Account metrics: each day of the span once, in order. */
  readAccountAnalytics(
    accessToken: string,
    span: DaySpan,
  ): Promise<MetricsAnswer<PinterestDay<PinterestAccountMetrics>[]>>;
  /** The account's best pins, best first, at most 50; only those with final metrics. */
  readTopPins(
    accessToken: string,
    input: DaySpan & { sortBy: keyof PinterestAccountMetrics; count: number },
  ): Promise<MetricsAnswer<PinterestTopPin[]>>;
  readPinAnalytics(
    accessToken: string,
    pinterestPinId: string,
    span: DaySpan,
  ): Promise<MetricsAnswer<PinterestDay<PinterestPinMetrics>[]>>;
  /** Unreadable pins are missing; a deleted one fails the whole call. `restricted` unless our app is in the beta. */
  readPinsAnalytics(
    accessToken: string,
    pinterestPinIds: readonly string[],
    span: DaySpan,
  ): Promise<MetricsAnswer<Map<string, PinterestDay<PinterestPinMetrics>[]>>>;
  /** At most 50, the strongest trend first. `restricted` when our app or the account has no access. */
  readTrends(accessToken: string, query: TrendsQuery): Promise<PinterestResult<PinterestTrend[]>>;
  /** Needs the scope `ads:read`, and is `restricted` without it: the rest of the connection is fine. */
  readRelatedTerms(accessToken: string, term: string): Promise<PinterestResult<string[]>>;
  profileUrl(username: string): string;
  pinUrl(pinterestPinId: string): string;
}
