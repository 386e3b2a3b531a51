import "server-only";
import { sql } from "drizzle-orm";
import { beganAt, type Database, type Transaction } from "#db/client.ts";
import type { Signals } from "./core/concurrency.ts";
import type { Sealer } from "./core/crypto.ts";
import type { ApiKeyId, Id, IdKind, LoginId, UserId } from "./core/ids.ts";
import type { WideEvent } from "./core/log.ts";
import type { AiPort } from "./integrations/ai/port.ts";
import type { EmailPort } from "./integrations/email/port.ts";
import type { GooglePort } from "./integrations/google/port.ts";
import type { ImagesPort } from "./integrations/images/port.ts";
import type { JobsPort } from "./integrations/jobs/port.ts";
import type { LinksPort } from "./integrations/links/port.ts";
import type { PaymentsPort } from "./integrations/payments/port.ts";
import type { PinterestPort } from "./integrations/pinterest/port.ts";
import type { StoragePort } from "./integrations/storage/port.ts";

/** `address`: the IP address that rate limits count. `knownBrowser` and `secondStep`: the cookies of these names. */
export type Actor =
  | {
      kind: "visitor";
      address: string;
      userAgent?: string | null;
      knownBrowser?: string | null;
      secondStep?: string | null;
    }
  | { kind: "user"; userId: UserId; loginId: LoginId; address: string }
  /** A client with an API key of this user. It has no login, so whatever needs one refuses it. */
  | { kind: "key"; userId: UserId; keyId: ApiKeyId; address: string }
  | { kind: "webhook"; source: string }
  | { kind: "job"; name: string };

export interface Ports {
  pinterest: PinterestPort;
  ai: AiPort;
  email: EmailPort;
  storage: StoragePort;
  images: ImagesPort;
  jobs: JobsPort;
  payments: PaymentsPort;
  links: LinksPort;
  google: GooglePort;
}

export interface CheckoutSettings {
  token: string;
  environment: "sandbox" | "production";
  scriptUrl: string | null;
}

export interface Settings {
  appUrl: string;
  productName: string;
  /** The address users write to, which also receives the contact form. */
  supportEmail: string;
  /** Signs links that must stay the same when a step runs twice. */
  tokenSecret: string;
  pinCanvas: { widthPx: number; heightPx: number };
  /** Price ids of the payment provider by product: the first is sold, the others were sold earlier. */
  prices: Readonly<Record<string, readonly string[]>>;
  checkout: CheckoutSettings;
  /** Images that may be generated at the same time, across all processes. */
  imageConcurrency: number;
  /** How long metrics of published pins are kept, 0 to 24; 0 keeps none. */
  analyticsCacheHours: number;
  /** Whether Pinterest lets our app read related terms, which takes a scope of its own. */
  hasRelatedTerms: boolean;
}

interface Base {
  actor: Actor;
  /** In a transaction: its start by the database's clock. Else this process's, which must not decide what is due. */
  now(): Date;
  newId<K extends IdKind>(kind: K): Id<K>;
  db: Database | Transaction;
  log: WideEvent;
  sealer: Sealer;
  settings: Settings;
  stopping: AbortSignal;
  /** Wakes waiting calls of this process; correctness must not depend on it. */
  signals: Signals;
}

/** What every use case receives; `P` names the outside services it uses. */
export type Ctx<P extends keyof Ports = never> = Base & Pick<Ports, P>;

export type FullCtx = Ctx<keyof Ports>;

/** Runs a function in a transaction or savepoint. Its context has no ports, so network calls inside do not compile. */
export const inTransaction = <R>(ctx: Ctx, run: (tx: Ctx) => Promise<R>): Promise<R> =>
  ctx.db.transaction((db) => {
    const at = beganAt(db);
    return run({
      actor: ctx.actor,
      now: at ? () => at : ctx.now,
      newId: ctx.newId,
      db,
      log: ctx.log,
      sealer: ctx.sealer,
      settings: ctx.settings,
      signals: ctx.signals,
      stopping: ctx.stopping,
    });
  });

/** The database's time, the one clock that all processes share; for decisions outside of a transaction. */
export const databaseTime = async (ctx: Pick<Ctx, "db" | "now">): Promise<Date> => {
  const at = beganAt(ctx.db);
  if (at) return at;
  const [row] = await ctx.db.execute<{ ms: number }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  return new Date(Number(row?.ms));
};
