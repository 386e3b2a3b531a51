import "server-only";
import { type Connections, type DatabaseHandle, openDatabase, readConnections } from "#db/client.ts";
import { type Listener, openListener } from "#db/listen.ts";
import { isMigrated } from "#db/migrate.ts";
import type { PoolUsage } from "#db/pool.ts";
import type { Actor, FullCtx, Ports, Settings } from "./context.ts";
import { type Bell, createBell } from "./core/concurrency.ts";
import { createSealer, type Sealer } from "./core/crypto.ts";
import { createId, type IdKind } from "./core/ids.ts";
import { createWideEvent, type WideEvent } from "./core/log.ts";
import { storagePlaceOf } from "./core/storage-url.ts";
import { SECOND_MS } from "./core/time.ts";
import { type Env, env } from "./env.ts";
import { createAi } from "./integrations/ai/client.ts";
import { createPictures } from "./integrations/images/client.ts";
import { createJobs } from "./integrations/jobs/client.ts";
import { createLinks } from "./integrations/links/client.ts";
import { createMail } from "./integrations/mail/client.ts";
import { createPayments } from "./integrations/payments/client.ts";
import { createPinterest } from "./integrations/pinterest/client.ts";
import { createFileStorage } from "./integrations/storage/file.ts";
import type { StoragePort } from "./integrations/storage/port.ts";
import { createS3Storage } from "./integrations/storage/s3.ts";

/** What lives as long as the process. */
export interface House {
  database: DatabaseHandle;
  ports: Ports;
  settings: Settings;
  sealer: Sealer;
  bell: Bell;
  /** Aborted when this process is told to end. */
  stopping: AbortSignal;
  now(): Date;
}

// Next bundles a module once per layer: a place of the whole process keeps it to one.
const STOPPER = Symbol.for("app.stopper");
const stopperPlace = globalThis as { [STOPPER]?: AbortController };

const stopper = (): AbortController => {
  stopperPlace[STOPPER] ??= new AbortController();
  return stopperPlace[STOPPER];
};

const canvasOf = (text: string): Settings["pinCanvas"] => {
  const [widthPx = 0, heightPx = 0] = text.split("x").map(Number);
  return { widthPx, heightPx };
};

const checkoutOf = (from: Env): Settings["checkout"] => ({
  token: from.PADDLE_CLIENT_TOKEN,
  environment: from.PADDLE_ENVIRONMENT,
  scriptUrl: from.PADDLE_JS_URL ?? null,
});

const linksOf = (from: Env): Ports["links"] =>
  createLinks({
    // Headers carry ASCII; a name in other letters shows as what is left of it.
    userAgent: `Mozilla/5.0 (compatible; ${from.PRODUCT_NAME.replace(/[^ -~]/g, "")} link check; +${from.APP_URL})`,
    allowedHosts: from.LINK_CHECK_ALLOWED_HOSTS,
    nameServers: from.LINK_CHECK_NAME_SERVERS,
  });

/** The pictures' storage that STORAGE_URL names. @throws Error when it names none. */
export const openStorage = (url: string): StoragePort => {
  const place = storagePlaceOf(url);
  if (!place) throw new Error("STORAGE_URL names no storage.");
  return place.kind === "file" ? createFileStorage(place.folder) : createS3Storage(place);
};

/** The drawing of pictures alone: it needs no settings, so it can be had while the product is built. */
export const pictures = createPictures;

/** Builds everything from settings, once per process. Opens no connection by itself. */
export const buildHouse = (from: Env): House => ({
  database: openDatabase(from.DATABASE_URL),
  settings: {
    appUrl: from.APP_URL,
    productName: from.PRODUCT_NAME,
    supportEmail: from.SUPPORT_EMAIL,
    tokenSecret: from.AUTH_SECRET,
    pinCanvas: canvasOf(from.PIN_CANVAS),
    prices: from.PADDLE_PRICES,
    checkout: checkoutOf(from),
    imageConcurrency: from.OPENAI_IMAGE_CONCURRENCY,
    analyticsCacheHours: from.PINTEREST_ANALYTICS_CACHE_HOURS,
  },
  sealer: createSealer(from.ENCRYPTION_KEY),
  bell: createBell(),
  stopping: stopper().signal,
  now: () => new Date(),
  ports: {
    pinterest: createPinterest({
      appId: from.PINTEREST_APP_ID,
      appSecret: from.PINTEREST_APP_SECRET,
      apiUrl: from.PINTEREST_API_URL,
      oauthUrl: from.PINTEREST_OAUTH_URL,
      webUrl: from.PINTEREST_WEB_URL,
      ...(from.PINTEREST_TIMEOUT_SECONDS !== undefined && { timeoutMs: from.PINTEREST_TIMEOUT_SECONDS * SECOND_MS }),
    }),
    ai: createAi({
      apiKey: from.OPENAI_API_KEY,
      baseUrl: from.OPENAI_BASE_URL,
      textModel: from.OPENAI_TEXT_MODEL,
      imageModel: from.OPENAI_IMAGE_MODEL,
    }),
    mail: createMail({ url: from.SMTP_URL, from: from.MAIL_FROM }),
    storage: openStorage(from.STORAGE_URL),
    pictures: createPictures(),
    payments: createPayments({
      apiKey: from.PADDLE_API_KEY,
      apiUrl: from.PADDLE_API_URL ?? from.PADDLE_ENVIRONMENT,
      webhookSecrets: from.PADDLE_WEBHOOK_SECRET,
    }),
    links: linksOf(from),
    jobs: createJobs({
      productSlug: "app",
      baseUrl: from.INNGEST_BASE_URL,
      eventKey: from.INNGEST_EVENT_KEY,
      signingKey: from.INNGEST_SIGNING_KEY,
    }),
  },
});

/** A context of a house for one actor and one wide event. */
export const contextIn = (house: House, actor: Actor, log: WideEvent): FullCtx => ({
  actor,
  log,
  now: house.now,
  newId: <K extends IdKind>(kind: K) => createId(kind, house.now()),
  db: house.database.db,
  sealer: house.sealer,
  bell: house.bell,
  stopping: house.stopping,
  settings: house.settings,
  ...house.ports,
});

// Next bundles a module once per layer: a place of the whole process keeps it to one pool.
const PLACE = Symbol.for("app.house");
const globalPlace = globalThis as { [PLACE]?: House };

/** The house of this process. */
export const house = (): House => {
  globalPlace[PLACE] ??= buildHouse(env());
  return globalPlace[PLACE];
};

/** Tells long steps to stop at their next safe place. */
export const stopWork = (): void => stopper().abort();

/** Closes the database's connections when what uses them is done. */
export const closeHouse = async (): Promise<void> => {
  await globalPlace[PLACE]?.database.close();
};

/** A context for a request or an action. */
export const composeContext = (actor: Actor, log: WideEvent): FullCtx => contextIn(house(), actor, log);

/** A context for a step of a durable function. */
export const jobContext = (name: string, log: WideEvent = createWideEvent({ job: name })): FullCtx =>
  contextIn(house(), { kind: "job", name }, log);

/** Whether the database has seen every migration of this version. @throws when it does not answer. */
export const isDatabaseMigrated = (): Promise<boolean> => isMigrated(house().database.db);

/** How this process uses its connections to the database, for the metrics. */
export const poolUsage = (): PoolUsage => house().database.usage();

/** Who is connected to the database, for the metrics. @throws when it does not answer. */
export const databaseConnections = (): Promise<Connections> => readConnections(house().database.db);

/** Opens a connection that hears what the database notifies on a channel. @throws when it cannot. */
export const listenToDatabase = (channel: string, onPayload: (payload: string) => void): Promise<Listener> =>
  openListener(env().DATABASE_URL, channel, onPayload);

export type { Listener };
