/** Why a provider of models gave nothing usable. `text` is safe to show. */
export type AiProblem =
  | { kind: "refused"; text: string } // moderation: final for this keyword
  | { kind: "unusable"; text: string } // truncated, malformed or missing answer: worth another try
  | { kind: "misconfigured"; text: string } // wrong key, no quota, unknown model: final, for the operator
  | { kind: "later"; text: string; retryAfterSeconds?: number }; // 429, 5xx, network

export interface PinCopy {
  title: string;
  description: string;
  altText: string;
}

export type CopyOutcome = { kind: "written"; copy: PinCopy } | { kind: "problem"; problem: AiProblem };
export type DrawOutcome = { kind: "drawn"; image: Uint8Array } | { kind: "problem"; problem: AiProblem };

export type PinQuality = "high" | "standard";

/** Text and pictures from models. Keyword and address are data, never instructions. */
export interface AiPort {
  /** `safetyId`: a stable opaque id of the user, for the provider's abuse rules. */
  writeCopy(input: { keyword: string; address: string | null; safetyId: string }): Promise<CopyOutcome>;
  drawPin(input: { keyword: string; quality: PinQuality; safetyId: string }): Promise<DrawOutcome>;
}
