import "server-only";
import { type Connections, type DatabaseHandle, openDatabase, readConnections } from "#db/client.ts";
import { type Listener, openListener } from "#db/listen.ts";
import { isMigrated } from "#db/migrate.ts";
import type { PoolUsage } from "#db/pool.ts";
import type { Actor, FullCtx, Ports, Settings } from "./context.ts";
import { createSignals, type Signals } from "./core/concurrency.ts";
import { createSealer, type Sealer } from "./core/crypto.ts";
import { createId, type IdKind } from "./core/ids.ts";
import { createWideEvent, type WideEvent } from "./core/log.ts";
import type { Role } from "./core/roles.ts";
import { parseStorageUrl } from "./core/storage-url.ts";
import { SECOND_MS } from "./core/time.ts";
import { type Env, env } from "./env.ts";
import { createAi } from "./integrations/ai/client.ts";
import { createEmail } from "./integrations/email/client.ts";
import { createGoogle } from "./integrations/google/client.ts";
import { createImages } from "./integrations/images/client.ts";
import { createJobs } from "./integrations/jobs/client.ts";
import { createLinks } from "./integrations/links/client.ts";
import { createPayments } from "./integrations/payments/client.ts";
import { createPinterest } from "./integrations/pinterest/client.ts";
import { createFileStorage } from "./integrations/storage/file.ts";
import type { StoragePort } from "./integrations/storage/port.ts";
import { createS3Storage } from "./integrations/storage/s3.ts";

export interface Container {
  database: DatabaseHandle;
  ports: Ports;
  settings: Settings;
  sealer: Sealer;
  signals: Signals;
  stopping: AbortSignal;
  now(): Date;
}

// Next bundles a module once per layer; a global keeps one instance per process.
const STOPPER_KEY = Symbol.for("app.stopper");
const stopperGlobals = globalThis as { [STOPPER_KEY]?: AbortController };

const stopper = (): AbortController => {
  stopperGlobals[STOPPER_KEY] ??= new AbortController();
  return stopperGlobals[STOPPER_KEY];
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
    // Headers must be ASCII, so other letters of the name are dropped.
    userAgent: `Mozilla/5.0 (compatible; ${from.PRODUCT_NAME.replace(/[^ -~]/g, "")} link check; +${from.APP_URL})`,
    allowedHosts: from.LINK_CHECK_ALLOWED_HOSTS,
    nameServers: from.LINK_CHECK_NAME_SERVERS,
  });

/** The image storage that STORAGE_URL names. @throws Error when it is invalid. */
export const openStorage = (url: string): StoragePort => {
  const place = parseStorageUrl(url);
  if (!place) throw new Error("STORAGE_URL is not valid.");
  return place.kind === "file" ? createFileStorage(place.folder) : createS3Storage(place);
};

/** Image rendering, which needs no settings and also runs at build time. */
export const images = createImages;

/** Connections per process. Pages hold one for moments, durable steps longer. */
const POOL_SIZES: Record<Role, number> = { web: 6, worker: 10, all: 10 };

/** Builds all services from the settings. Opens no connections. */
export const buildContainer = (from: Env): Container => ({
  database: openDatabase(from.DATABASE_URL, POOL_SIZES[from.ROLE]),
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
    hasRelatedTerms: from.PINTEREST_RELATED_TERMS === "on",
  },
  sealer: createSealer(from.ENCRYPTION_KEY),
  signals: createSignals(),
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
    email: createEmail({ url: from.SMTP_URL, from: from.MAIL_FROM }),
    storage: openStorage(from.STORAGE_URL),
    images: createImages(),
    payments: createPayments({
      apiKey: from.PADDLE_API_KEY,
      apiUrl: from.PADDLE_API_URL ?? from.PADDLE_ENVIRONMENT,
      webhookSecrets: from.PADDLE_WEBHOOK_SECRET,
    }),
    links: linksOf(from),
    google: createGoogle({
      issuer: from.GOOGLE_ISSUER,
      clientId: from.GOOGLE_CLIENT_ID ?? null,
      clientSecret: from.GOOGLE_CLIENT_SECRET ?? "",
      redirectUri: `${from.APP_URL}/api/auth/google/callback/`,
    }),
    jobs: createJobs({
      productSlug: "app",
      baseUrl: from.INNGEST_BASE_URL,
      eventKey: from.INNGEST_EVENT_KEY,
      signingKey: from.INNGEST_SIGNING_KEY,
    }),
  },
});

export const contextIn = (container: Container, actor: Actor, log: WideEvent): FullCtx => ({
  actor,
  log,
  now: container.now,
  newId: <K extends IdKind>(kind: K) => createId(kind, container.now()),
  db: container.database.db,
  sealer: container.sealer,
  signals: container.signals,
  stopping: container.stopping,
  settings: container.settings,
  ...container.ports,
});

// Next bundles a module once per layer; a global keeps one pool per process.
const CONTAINER_KEY = Symbol.for("app.container");
const globals = globalThis as { [CONTAINER_KEY]?: Container };

export const container = (): Container => {
  globals[CONTAINER_KEY] ??= buildContainer(env());
  return globals[CONTAINER_KEY];
};

export const stopWork = (): void => stopper().abort();

export const closeContainer = async (): Promise<void> => {
  await globals[CONTAINER_KEY]?.database.close();
};

export const composeContext = (actor: Actor, log: WideEvent): FullCtx => contextIn(container(), actor, log);

export const jobContext = (name: string, log: WideEvent = createWideEvent({ job: name })): FullCtx =>
  contextIn(container(), { kind: "job", name }, log);

/** @throws when the database does not respond */
export const isDatabaseMigrated = (): Promise<boolean> => isMigrated(container().database.db);

export const poolUsage = (): PoolUsage => container().database.usage();

/** @throws when the database does not respond */
export const databaseConnections = (): Promise<Connections> => readConnections(container().database.db);

/** @throws when it cannot listen */
export const listenToDatabase = (channel: string, onPayload: (payload: string) => void): Promise<Listener> =>
  openListener(env().DATABASE_URL, channel, onPayload);

export type { Listener };
