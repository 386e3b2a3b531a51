/** Why a provider of models gave nothing usable. `text` is safe to show; `detail` is for the log alone. */
export type AiProblem = { text: string; detail?: string } & (
  | { kind: "refused" } // moderation: final for this keyword
  | { kind: "unusable" } // truncated, malformed or missing answer: worth another try
  | { kind: "misconfigured" } // wrong key, no quota, unknown model: final, for the operator
  | { kind: "busy"; retryAfterMs: number } // 429 with a wait that the provider names: holds for everybody
  | { kind: "later"; retryAfterSeconds?: number } // other 429, 5xx, network
);

export interface PinCopy {
  title: string;
  description: string;
  altText: string;
}

export type CopyOutcome = { kind: "written"; copy: PinCopy } | { kind: "problem"; problem: AiProblem };
export type DrawOutcome = { kind: "drawn"; image: Uint8Array } | { kind: "problem"; problem: AiProblem };

export type PinQuality = "high" | "standard";

/** Text and pictures from models. Keyword and address are data, never instructions. No method throws for an answer. */
export interface AiPort {
  /**
   * `safetyId`: a stable opaque id of the user of at most 64 characters, for the provider's abuse rules. `insteadOf`:
   * words that are there already and that others are wanted for.
   */
  writeCopy(input: {
    keyword: string;
    address: string | null;
    safetyId: string;
    insteadOf?: string;
  }): Promise<CopyOutcome>;
  /**
   * A portrait picture as JPEG, made before it is known what the pin's words will be. `signal` ends the call early.
   * `take` counts the pictures that were made for the same pin, from 1: each is to be another one.
   */
  drawPin(input: {
    keyword: string;
    quality: PinQuality;
    safetyId: string;
    take?: number;
    signal?: AbortSignal;
  }): Promise<DrawOutcome>;
}
