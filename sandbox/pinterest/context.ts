import type { Context } from "hono";
import type { Clock } from "../kit/clock.ts";
import type { StandInEnv } from "../kit/serve.ts";
import type { Spec } from "../kit/spec.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { PinterestSettings } from "./settings.ts";
import type { PinterestStore } from "./state.ts";

/** The app that may ask for consent. Without `redirectUris` any http(s) address is accepted. */
export interface OAuthClient {
  id: string;
  secret: string;
  name?: string;
  redirectUris?: string[];
}

/** What every route of the stand-in works with. */
export interface Pinterest {
  store: PinterestStore;
  clock: Clock;
  spec: Spec;
  limits: RateLimits;
  readonly settings: PinterestSettings;
  client: OAuthClient;
  /** Where pictures lie. */
  mediaFolder: string;
  accessTokenSeconds: number;
  /** Origin in links and picture addresses; by default the one the request came to. */
  publicUrl: string | undefined;
}

/** The origin to write into answers, without a trailing slash. */
export function originOf(pinterest: Pinterest, c: Context<StandInEnv>): string {
  return (pinterest.publicUrl ?? new URL(c.req.url).origin).replace(/\/$/, "");
}
