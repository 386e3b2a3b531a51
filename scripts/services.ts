import { isIP } from "node:net";
import { join } from "node:path";
import type { Place } from "#sandbox/console/server.ts";
import type { SandboxOptions } from "#sandbox/options.ts";
import { inherited, unset } from "./build.ts";
import { playedCatalogue } from "./catalogue.ts";
import type { Composition, Ports, Variables } from "./compose.ts";
import type { ChildSpec } from "./processes.ts";
import { inRepository } from "./root.ts";

/** Calls of the durable engine at a time: quick ones, and for each place to draw a call that draws and one that waits. */
const quickCalls = 48;
const callsPerDrawingPlace = 2;

/** What the three kinds of children are made of. */
export type Environment = {
  composition: Composition;
  ports: Ports;
  host: string;
  dataDir: string;
  logFolder: string;
  distDir: string;
  databaseUrl: string;
  /** Time an answer of the AI stand-in takes. */
  latency: { textMs: number; imageMs: number };
  /** Multiplies the pauses between the durable engine's attempts; 1 is the real service's. */
  retryScale: number;
  /** Further variables for every child (tests: the movable clock, the time zone). */
  extra?: Variables;
  hasConsole?: boolean;
};

const loopback = "127.0.0.1";
const at = (port: number) => `http://${loopback}:${port}`;

/** The address at which this machine itself reaches the app, whatever its public one. */
export function localAppUrl({ ports, host }: Pick<Environment, "ports" | "host">): string {
  if (host === "::" || host === "0.0.0.0") return at(ports.app);
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${ports.app}`;
}

/** The children to run, in no order: each becomes ready by itself. */
export function childSpecs(environment: Environment): ChildSpec[] {
  const { standIns } = environment.composition;
  const inSandbox: string[] = standIns.filter((service) => service !== "inngest");
  if (environment.hasConsole) inSandbox.push("console");
  return [
    ...(inSandbox.length > 0 ? [sandboxSpec("sandbox", inSandbox, environment, 3)] : []),
    ...(standIns.includes("inngest") ? [sandboxSpec("executor", ["inngest"], environment, 1)] : []),
    appSpec(environment, ["start"]),
  ];
}

/**
 * Keeps the app small after it handled many pictures: what was freed goes back to the system instead of staying in
 * glibc's arenas (elsewhere these variables mean nothing), and the heap's young generation stays small.
 */
const frugalMemory: Variables = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "262144",
  MALLOC_TRIM_THRESHOLD_: "262144",
};
const frugalHeap = "--max-semi-space-size=16";

/** The app: `next start`, or `next dev` by `mode`. Ready when its health says so. */
export function appSpec(environment: Environment, mode: ["start"] | ["dev"]): ChildSpec {
  const next = inRepository("node_modules", "next", "dist", "bin", "next");
  return {
    name: "app",
    args: [frugalHeap, next, ...mode, "-p", String(environment.ports.app), "-H", environment.host],
    env: {
      ...inherited(),
      ...frugalMemory,
      ...unset,
      ...environment.composition.env,
      NEXT_DIST_DIR: environment.distDir,
      ...environment.extra,
    },
    logFile: join(environment.logFolder, "app.log"),
    ending: { order: 2, signal: "SIGTERM", graceMs: 12_000 },
    ready: () => isHealthy(localAppUrl(environment)),
    readyDeadlineMs: 90_000,
  };
}

function sandboxSpec(name: string, services: string[], environment: Environment, order: number): ChildSpec {
  const folder = join(environment.dataDir, "sandbox");
  const options = JSON.stringify(sandboxOptions(environment, folder));
  return {
    name,
    args: [inRepository("sandbox", "main.ts"), "--services", services.join(","), "--data", folder],
    env: { ...inherited(), SANDBOX_OPTIONS: options, NODE_ENV: "production", ...environment.extra },
    logFile: join(environment.logFolder, `${name}.log`),
    ending: { order, signal: "SIGTERM", graceMs: 10_000 },
    ready: "message",
  };
}

function sandboxOptions(environment: Environment, dataDir: string): SandboxOptions {
  const { ports, latency, composition } = environment;
  const {
    PINTEREST_APP_ID = "",
    PINTEREST_APP_SECRET = "",
    APP_URL = "",
    OPENAI_API_KEY = "",
    OPENAI_IMAGE_CONCURRENCY = "8",
    PRODUCT_NAME = "Evertack",
    INNGEST_EVENT_KEY = "",
    INNGEST_SIGNING_KEY = "",
  } = composition.env;
  return {
    host: loopback,
    dataDir,
    pinterest: {
      port: ports.pinterest,
      client: {
        id: PINTEREST_APP_ID,
        secret: PINTEREST_APP_SECRET,
        name: PRODUCT_NAME,
        redirectUris: [`${APP_URL.replace(/\/+$/, "")}/api/users/pinterest/callback/`],
      },
    },
    openai: {
      port: ports.openai,
      textLatencyMs: latency.textMs,
      imageLatencyMs: latency.imageMs,
      apiKey: OPENAI_API_KEY,
    },
    paddle: paddleOptions(environment),
    mail: { smtpPort: ports.smtp, webPort: ports.inbox },
    inngest: {
      port: ports.executor,
      databaseUrl: environment.databaseUrl,
      appUrl: `${localAppUrl(environment)}/api/inngest`,
      retryScale: environment.retryScale,
      concurrency: quickCalls + callsPerDrawingPlace * Number(OPENAI_IMAGE_CONCURRENCY),
      eventKey: INNGEST_EVENT_KEY,
      signingKey: INNGEST_SIGNING_KEY,
    },
    console: { port: ports.console, places: placesOf(environment) },
  };
}

/** The payment stand-in sells what our table says, and sends its webhooks to the app on this machine. */
function paddleOptions(environment: Environment): SandboxOptions["paddle"] {
  const { ports, composition } = environment;
  const { PADDLE_API_KEY = "", PADDLE_CLIENT_TOKEN = "", PADDLE_WEBHOOK_SECRET = "", APP_URL = "" } = composition.env;
  return {
    port: ports.paddle,
    apiKey: PADDLE_API_KEY,
    clientToken: PADDLE_CLIENT_TOKEN,
    webhook: { url: `${localAppUrl(environment)}/api/webhooks/paddle/`, secret: PADDLE_WEBHOOK_SECRET },
    catalogue: playedCatalogue(),
    checkoutUrl: `${APP_URL.replace(/\/+$/, "")}/pricing`,
  };
}

/** Asked for a sign of life, it leaves no trace in a stand-in's log. */
const CONTROL = "/__control/state";

/** What the console links: the app, and the services that are played. */
export function placesOf(environment: Environment): Place[] {
  const { ports, composition } = environment;
  const app = localAppUrl(environment);
  const { pinterest, openai, paddle, inbox, executor } = ports;
  const played: Record<string, Place> = {
    pinterest: {
      ...place("Pinterest", "Consent page, API v5, and a page for each pin.", at(pinterest), CONTROL),
      control: at(pinterest),
    },
    openai: {
      ...place("OpenAI", "Writes titles and descriptions, draws pictures.", at(openai), CONTROL),
      visit: false,
      control: at(openai),
    },
    paddle: {
      ...place("Paddle", "Takes payments by test card, and sends webhooks.", at(paddle), CONTROL),
      control: at(paddle),
    },
    mail: {
      ...place("Inbox", "Every mail that was sent, none of them delivered.", at(inbox), CONTROL),
      control: at(inbox),
    },
    inngest: {
      ...place("Durable executor", "Runs generation and publishing.", at(executor), "/"),
      runs: at(executor),
    },
  };
  const product = place("The product", "Where it all shows.", composition.env.APP_URL ?? app, "");
  const first: Place = { ...product, probe: `${app}/api/health/` };
  return [first, ...composition.standIns.flatMap((service) => played[service] ?? [])];
}

function place(name: string, what: string, url: string, probePath: string): Place {
  const id = name.toLowerCase().replaceAll(" ", "-");
  return { id, name, what, url, probe: `${url}${probePath}`, visit: true };
}

/** Whether the app says that it is ready (database, migrations, durable engine). */
export async function isHealthy(appUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${appUrl}/api/health/`, { signal: AbortSignal.timeout(3_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    // Not listening yet; whoever waits has a deadline of its own.
    return false;
  }
}
