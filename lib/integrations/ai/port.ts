/** Why a model returned nothing usable. `text` is safe to show; `detail` is only for the log. */
export type AiProblem = { text: string; detail?: string } & (
  | { kind: "refused" } // moderation: final for this keyword
  | { kind: "unusable" } // truncated, malformed or missing answer: worth a retry
  | { kind: "misconfigured" } // wrong key, no quota, unknown model: final, for the operator
  | { kind: "busy"; retryAfterMs: number } // 429 with a wait: applies to all calls
  | { kind: "later"; retryAfterSeconds?: number } // other 429, 5xx, network
);

export interface PinCopy {
  title: string;
  description: string;
  altText: string;
}

export type CopyOutcome = { kind: "written"; copy: PinCopy } | { kind: "problem"; problem: AiProblem };
export type ImageOutcome = { kind: "generated"; image: Uint8Array } | { kind: "problem"; problem: AiProblem };

/** How an account's texts should sound. Typed by its user, and data as well. */
export interface VoiceData {
  about: string;
  use: readonly string[];
  avoid: readonly string[];
  /** In English, such as 'German'; null: that of the keyword. */
  language: string | null;
  emoji: boolean;
  hashtags: boolean;
}

/** What a web page says, as JSON. Untrusted. */
export type PageData = Readonly<Record<string, unknown>>;

/** How an account's images should look. `about` was typed by its user; `colors` are `#rrggbb`. */
export interface ImageStyleData {
  preset: "daylight" | "flat_lay" | "studio" | "moody" | "watercolor" | "flat" | null;
  /** The user's own style instead of a preset; empty for none. */
  own: string;
  about: string;
  colors: readonly string[];
}

export type PinQuality = "high" | "standard";

/** Text and images from models. Keyword, URL, and page are data, never instructions. Bad answers are returned, not thrown. */
export interface AiPort {
  /**
   * `safetyId`: a stable, opaque user id of at most 64 characters, for the provider's abuse monitoring. `page`: data of
   * the page at `url`. `fix`: what to change about the last answer, an instruction in our own words.
   */
  writeCopy(input: {
    keyword: string;
    url: string | null;
    safetyId: string;
    insteadOf?: string;
    /** Titles of the account's other pins. Data. */
    otherTitles?: readonly string[];
    /** From 1: which of several pins about the same. */
    variant?: number;
    page?: PageData;
    voice?: VoiceData;
    fix?: string;
  }): Promise<CopyOutcome>;
  /** A portrait JPEG. `variation` counts the pin's generated images from 1, so that each one differs. */
  generateImage(input: {
    keyword: string;
    quality: PinQuality;
    safetyId: string;
    variation?: number;
    style?: ImageStyleData;
    signal?: AbortSignal;
  }): Promise<ImageOutcome>;
}
