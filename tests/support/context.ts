import { openDatabase } from "#db/client.ts";
import { contextIn, type House } from "#lib/composition.ts";
import type { Actor, FullCtx, Ports } from "#lib/context.ts";
import { createBell } from "#lib/core/concurrency.ts";
import { createSealer } from "#lib/core/crypto.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { registerUser } from "#lib/features/identity/registration.ts";
import { createAi } from "#lib/integrations/ai/client.ts";
import { createPictures } from "#lib/integrations/images/client.ts";
import type { JobEvent } from "#lib/integrations/jobs/port.ts";
import { createLinks, type LinksOptions } from "#lib/integrations/links/client.ts";
import { createMail } from "#lib/integrations/mail/client.ts";
import { createPayments } from "#lib/integrations/payments/client.ts";
import { createPinterest } from "#lib/integrations/pinterest/client.ts";
import { createFileStorage } from "#lib/integrations/storage/file.ts";
import { playedPrices } from "#scripts/catalogue.ts";
import { moveDatabaseClock } from "./database-clock.ts";

interface TestHouseOptions {
  databaseUrl: string;
  storageDir: string;
  /** Origins of stand-ins; a port without one talks to a closed port and fails as a dead provider would. */
  pinterestUrl?: string;
  openAiUrl?: string;
  smtpUrl?: string;
  paddleUrl?: string;
  /** Instead of 24; 0 keeps no figures. */
  analyticsCacheHours?: number;
  /** Which places on this machine links of a test may lead to, and who knows their names. */
  links?: Partial<LinksOptions>;
}

/** What the payment stand-in of a test is started with as well. */
export const PADDLE_TEST_KEY = "pdl_sdbx_apikey_test";
export const PADDLE_TEST_SECRET = "pdl_ntfset_test_secret";

const NOWHERE = "http://127.0.0.1:9";

export interface TestHouse extends House {
  /** Moves the database's clock, and the one of this house's process along with it; relative to where it stands. */
  moveClock(ms: number): Promise<void>;
  /** Does something with both clocks moved on, then moves them back. */
  later<R>(ms: number, work: () => Promise<R>): Promise<R>;
  /** Moves this house's own clock alone: one process whose clock is wrong. */
  skewClock(ms: number): void;
  /** Events handed to the durable engine, in order. */
  sentEvents: JobEvent[];
  /** The next send fails, as when the engine is down. */
  failNextSend(): void;
  close(): Promise<void>;
}

/** The clock of a house's process. */
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

const portsOf = (options: TestHouseOptions, jobs: Ports["jobs"]): Ports => ({
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
  mail: createMail({ url: options.smtpUrl ?? "smtp://127.0.0.1:9", from: "Evertack <hello@example.com>" }),
  storage: createFileStorage(options.storageDir),
  pictures: createPictures(),
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
  jobs,
});

/** A house over a test database with real clients; only the durable engine's inbox is kept in memory. */
export const createTestHouse = (options: TestHouseOptions): TestHouse => {
  const clock = createClock();
  const sentEvents: JobEvent[] = [];
  let failing = false;
  const jobs: Ports["jobs"] = {
    send: async (events) => {
      if (failing) {
        failing = false;
        throw new Error("The engine does not answer.");
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
    bell: createBell(),
    settings: {
      appUrl: "http://localhost:3000",
      productName: "Evertack",
      supportEmail: "support@example.com",
      tokenSecret: "test-token-secret-of-enough-length",
      pinCanvas: { widthPx: 1080, heightPx: 1680 },
      prices: Object.fromEntries(Object.entries(playedPrices()).map(([key, id]) => [key, [id]])),
      checkout: { token: "test_token", environment: "sandbox", scriptUrl: null },
      // Above what the tests of one file leave unfinished.
      imageConcurrency: 100,
      analyticsCacheHours: options.analyticsCacheHours ?? 24,
    },
    ports: portsOf(options, jobs),
    close: () => database.close(),
  };
};

/** A context for an actor of a test house. */
export const contextOf = (house: House, actor: Actor): FullCtx => contextIn(house, actor, createWideEvent());

let counter = 0;

/** A new user with a name of their own, and a context in which they act. */
export const createUser = async (house: House): Promise<{ ctx: FullCtx; userId: UserId; email: string }> => {
  counter += 1;
  const name = `user${process.pid}x${counter}x${Math.random().toString(36).slice(2, 8)}`;
  const email = `${name}@example.com`;
  const visitor = contextOf(house, { kind: "visitor", address: "127.0.0.1" });
  const { userId } = await registerUser(visitor, {
    firstName: "Test",
    lastName: "Person",
    username: name,
    email,
    password: "correct horse 1",
  });
  // Verbs ask for the user only; the login of a test user is never looked up.
  const ctx = contextOf(house, { kind: "user", userId, loginId: "lgn_test" as LoginId, address: "127.0.0.1" });
  return { ctx, userId, email };
};
