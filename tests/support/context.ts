import { openDatabase } from "#db/client.ts";
import { logins } from "#db/schema/identity.ts";
import { type Container, contextIn } from "#lib/composition.ts";
import { type Actor, type FullCtx, inTransaction, type Ports } from "#lib/context.ts";
import { createSignals } from "#lib/core/concurrency.ts";
import { createSealer } from "#lib/core/crypto.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { addMs } from "#lib/core/time.ts";
import { LOGIN_LIFETIME_MS } from "#lib/features/identity/constants.ts";
import { registerUser } from "#lib/features/identity/registration.ts";
import { createAi } from "#lib/integrations/ai/client.ts";
import { createEmail } from "#lib/integrations/email/client.ts";
import { createGoogle } from "#lib/integrations/google/client.ts";
import { createImages } from "#lib/integrations/images/client.ts";
import type { JobEvent } from "#lib/integrations/jobs/port.ts";
import { createLinks, type LinksOptions } from "#lib/integrations/links/client.ts";
import { createPayments } from "#lib/integrations/payments/client.ts";
import { createPinterest } from "#lib/integrations/pinterest/client.ts";
import { createFileStorage } from "#lib/integrations/storage/file.ts";
import { sandboxPrices } from "#scripts/catalog.ts";
import { moveDatabaseClock } from "./database-clock.ts";

interface TestHarnessOptions {
  databaseUrl: string;
  storageDir: string;
  /** Origins of stand-ins; calls without one fail, as with a provider that is down. */
  pinterestUrl?: string;
  openAiUrl?: string;
  smtpUrl?: string;
  paddleUrl?: string;
  googleUrl?: string;
  /** Default 24; 0 disables caching. */
  analyticsCacheHours?: number;
  /** Hosts on this machine that links may lead to, and the name servers. */
  links?: Partial<LinksOptions>;
}

/** The payment stand-in of the tests uses these as well. */
export const PADDLE_TEST_KEY = "pdl_sdbx_apikey_test";
export const PADDLE_TEST_SECRET = "pdl_ntfset_test_secret";
/** Registered at the stand-in of Google's sign-in. */
export const GOOGLE_TEST_CLIENT = {
  id: "test-client",
  secret: "test-secret",
  redirectUri: "http://localhost:3000/api/auth/google/callback/",
};

const NOWHERE = "http://127.0.0.1:9";

export interface TestHarness extends Container {
  /** Moves the clocks of the database and of this container by this many milliseconds. */
  moveClock(ms: number): Promise<void>;
  /** Runs `work` with both clocks moved ahead, then moves them back. */
  later<R>(ms: number, work: () => Promise<R>): Promise<R>;
  /** Moves only this container's clock, as in a process whose clock is wrong. */
  skewClock(ms: number): void;
  /** Events sent to the job engine, in order. */
  sentEvents: JobEvent[];
  /** Makes the next send fail, as when the engine is down. */
  failNextSend(): void;
  close(): Promise<void>;
}

/** A container's clock. */
const createClock = () => {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    move: (ms: number) => {
      offsetMs += ms;
      return offsetMs;
    },
  };
};

const portsOf = (options: TestHarnessOptions, jobs: Ports["jobs"]): Ports => ({
  pinterest: createPinterest({
    appId: "test-app",
    appSecret: "test-secret",
    apiUrl: `${options.pinterestUrl ?? NOWHERE}/v5`,
    oauthUrl: `${options.pinterestUrl ?? NOWHERE}/oauth/`,
    webUrl: options.pinterestUrl ?? NOWHERE,
    timeoutMs: 3_000,
  }),
  ai: createAi({
    apiKey: "test-key",
    baseUrl: `${options.openAiUrl ?? NOWHERE}/v1`,
    textModel: "gpt-5.4-mini",
    imageModel: "gpt-image-2",
  }),
  email: createEmail({ url: options.smtpUrl ?? "smtp://127.0.0.1:9", from: "Evertack <hello@example.com>" }),
  storage: createFileStorage(options.storageDir),
  images: createImages(),
  payments: createPayments({
    apiKey: PADDLE_TEST_KEY,
    apiUrl: options.paddleUrl ?? NOWHERE,
    webhookSecrets: [PADDLE_TEST_SECRET],
  }),
  links: createLinks({
    userAgent: "test",
    nameServers: ["127.0.0.1:9"],
    timeoutMs: 5_000,
    ...options.links,
  }),
  google: createGoogle({
    issuer: options.googleUrl ?? NOWHERE,
    clientId: GOOGLE_TEST_CLIENT.id,
    clientSecret: GOOGLE_TEST_CLIENT.secret,
    redirectUri: GOOGLE_TEST_CLIENT.redirectUri,
  }),
  jobs,
});

/** A container with a test database and real clients; only events to the job engine stay in memory. */
export const createTestHarness = (options: TestHarnessOptions): TestHarness => {
  const clock = createClock();
  const sentEvents: JobEvent[] = [];
  let failing = false;
  const jobs: Ports["jobs"] = {
    send: async (events) => {
      if (failing) {
        failing = false;
        throw new Error("The engine is not responding.");
      }
      sentEvents.push(...events);
    },
  };
  const database = openDatabase(options.databaseUrl, 20);
  return {
    database,
    now: clock.now,
    stopping: new AbortController().signal,
    moveClock: (ms) => moveDatabaseClock(database.db, clock.move(ms)),
    skewClock: (ms) => void clock.move(ms),
    later: async (ms, work) => {
      await moveDatabaseClock(database.db, clock.move(ms));
      try {
        return await work();
      } finally {
        await moveDatabaseClock(database.db, clock.move(-ms));
      }
    },
    sentEvents,
    failNextSend: () => {
      failing = true;
    },
    sealer: createSealer(["11".repeat(32)]),
    signals: createSignals(),
    settings: {
      appUrl: "http://localhost:3000",
      productName: "Evertack",
      supportEmail: "support@example.com",
      tokenSecret: "test-token-secret-of-enough-length",
      pinCanvas: { widthPx: 1080, heightPx: 1680 },
      prices: Object.fromEntries(Object.entries(sandboxPrices()).map(([key, id]) => [key, [id]])),
      checkout: { token: "test_token", environment: "sandbox", scriptUrl: null },
      // More than the tests of one file leave unfinished.
      imageConcurrency: 100,
      analyticsCacheHours: options.analyticsCacheHours ?? 24,
      hasRelatedTerms: false,
    },
    ports: portsOf(options, jobs),
    close: () => database.close(),
  };
};

/** A context for an actor. */
export const contextOf = (harness: Container, actor: Actor): FullCtx => contextIn(harness, actor, createWideEvent());

let counter = 0;

/** Registers a new user with a unique name; returns a context in which they act. */
export const createUser = async (harness: Container): Promise<{ ctx: FullCtx; userId: UserId; email: string }> => {
  counter += 1;
  const name = `user${process.pid}x${counter}x${Math.random().toString(36).slice(2, 8)}`;
  const email = `${name}@example.com`;
  const visitor = contextOf(harness, { kind: "visitor", address: "127.0.0.1" });
  const { userId } = await registerUser(visitor, {
    firstName: "Test",
    lastName: "Person",
    username: name,
    email,
    password: "correct horse 1",
  });
  // Use cases only need the user; the login of a test user is never read.
  const ctx = contextOf(harness, { kind: "user", userId, loginId: "lgn_test" as LoginId, address: "127.0.0.1" });
  return { ctx, userId, email };
};

/** The same user in a login that was just opened, as sensitive changes require. */
export const withFreshLogin = async (ctx: FullCtx): Promise<FullCtx> => {
  if (ctx.actor.kind !== "user") throw new Error("Only a user has logins.");
  const { userId } = ctx.actor;
  const loginId = ctx.newId("login");
  await inTransaction(ctx, async (tx) => {
    const times = { createdAt: tx.now(), expiresAt: addMs(tx.now(), LOGIN_LIFETIME_MS), confirmedAt: tx.now() };
    await tx.db.insert(logins).values({ id: loginId, userId, ...times });
  });
  return { ...ctx, actor: { ...ctx.actor, loginId } };
};
