import type { Context } from "hono";
import type { Clock } from "../kit/clock.ts";
import type { Faults } from "../kit/faults.ts";
import type { RequestLog } from "../kit/request-log.ts";
import type { StandInEnv } from "../kit/serve.ts";
import type { Spec } from "../kit/spec.ts";
import type { PaddleSettings } from "./settings.ts";
import type { PaddleStore } from "./state.ts";

/** Where events go, and with what they are signed. */
export interface WebhookTarget {
  url: string;
  secret: string;
  /** The secret before the last rotation, for signatures that still carry it. */
  previousSecret: string;
}

/** What every route and every verb of the stand-in works with. */
export interface Paddle {
  store: PaddleStore;
  clock: Clock;
  spec: Spec;
  faults: Faults;
  /** Calls that came in, and webhooks that went out. */
  log: RequestLog;
  readonly settings: PaddleSettings;
  apiKey: string;
  clientToken: string;
  webhook: WebhookTarget;
  /** Page that opens the checkout of a transaction, without its query. */
  checkoutUrl: string | undefined;
  /** Origin in links; by default the one a request came to. */
  publicUrl: string | undefined;
  /** Reads left until a paid transaction is completed. */
  paidReads: Map<string, number>;
  /** Told after each change: new notifications may wait, and dates may have moved. */
  onChange(): void;
}

/** The origin to write into answers, without a trailing slash. */
export function originOf(paddle: Paddle, c: Context<StandInEnv>): string {
  return (paddle.publicUrl ?? new URL(c.req.url).origin).replace(/\/$/, "");
}
