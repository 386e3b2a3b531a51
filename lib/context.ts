import "server-only";
import { sql } from "drizzle-orm";
import { beganAt, type Database, type Transaction } from "#db/client.ts";
import type { Bell } from "./core/concurrency.ts";
import type { Sealer } from "./core/crypto.ts";
import type { Id, IdKind, LoginId, UserId } from "./core/ids.ts";
import type { WideEvent } from "./core/log.ts";
import type { AiPort } from "./integrations/ai/port.ts";
import type { PicturesPort } from "./integrations/images/port.ts";
import type { JobsPort } from "./integrations/jobs/port.ts";
import type { LinksPort } from "./integrations/links/port.ts";
import type { MailPort } from "./integrations/mail/port.ts";
import type { PaymentsPort } from "./integrations/payments/port.ts";
import type { PinterestPort } from "./integrations/pinterest/port.ts";
import type { StoragePort } from "./integrations/storage/port.ts";

/** Who asks. `address` is the network address that limits are counted for, `userAgent` what the browser calls itself. */
export type Actor =
  | { kind: "visitor"; address: string; userAgent?: string | null }
  | { kind: "user"; userId: UserId; loginId: LoginId; address: string }
  | { kind: "webhook"; source: string }
  | { kind: "job"; name: string };

export interface Ports {
  pinterest: PinterestPort;
  ai: AiPort;
  mail: MailPort;
  storage: StoragePort;
  pictures: PicturesPort;
  jobs: JobsPort;
  payments: PaymentsPort;
  links: LinksPort;
}

export interface CheckoutSettings {
  token: string;
  environment: "sandbox" | "production";
  /** Address of the checkout's script where it is not the provider's own. */
  scriptUrl: string | null;
}

/** The settings that verbs may know. */
export interface Settings {
  appUrl: string;
  productName: string;
  /** Where people write to, and what they write by the contact form is sent. */
  supportEmail: string;
  /** For links that must come out the same when a step runs twice. */
  tokenSecret: string;
  pinCanvas: { widthPx: number; heightPx: number };
  /** Price ids of the payment provider by what they sell: the first is sold, the others were. */
  prices: Readonly<Record<string, readonly string[]>>;
  /** What a browser opens the checkout with; none of it is secret. */
  checkout: CheckoutSettings;
  /** Pictures that may be drawn at the same time, over all processes. */
  imageConcurrency: number;
  /** How long Pinterest's figures of published pins are kept, 0 to 24; 0 keeps none (D8). */
  analyticsCacheHours: number;
}

interface Base {
  actor: Actor;
  /**
   * The present moment. In a transaction it is when that began, by the database's clock, and the same to its end.
   * Outside it is this process's clock: fit for logs and leniency, not for deciding what is due (decision 0007).
   */
  now(): Date;
  newId<K extends IdKind>(kind: K): Id<K>;
  db: Database | Transaction;
  log: WideEvent;
  sealer: Sealer;
  settings: Settings;
  /** Aborted when this process is told to end: a step that waits stops waiting, at a place where that is safe. */
  stopping: AbortSignal;
  /** Wakes calls of this process that wait for something; nothing depends on it. */
  bell: Bell;
}

/** What every verb receives. The parameter names the outside services that the verb touches. */
export type Ctx<P extends keyof Ports = never> = Base & Pick<Ports, P>;

/** A context with every port, as doors and jobs hold it. */
export type FullCtx = Ctx<keyof Ports>;

/**
 * Runs a function in one transaction. Its context has no ports, so a network call inside does not compile;
 * called within a transaction, it joins that one as a savepoint.
 */
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
      bell: ctx.bell,
      stopping: ctx.stopping,
    });
  });

/** What time it is by the one clock that all processes share: the database's. For what decides outside a transaction. */
export const databaseTime = async (ctx: Pick<Ctx, "db" | "now">): Promise<Date> => {
  const at = beganAt(ctx.db);
  if (at) return at;
  const [row] = await ctx.db.execute<{ ms: number }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  return new Date(Number(row?.ms));
};
