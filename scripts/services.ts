import { isIP } from "node:net";
import { join } from "node:path";
import type { ServiceEntry } from "#sandbox/console/server.ts";
import type { SandboxOptions } from "#sandbox/options.ts";
import { inherited, unset } from "./build.ts";
import { sandboxCatalog } from "./catalog.ts";
import type { Composition, Ports, Variables } from "./compose.ts";
import type { ChildSpec } from "./processes.ts";
import { inRepository } from "./root.ts";

/**
 * Concurrent calls of the durable engine: quick ones, and two per image slot, one that generates and one that waits.
 */
const quickCalls = 48;
const callsPerImageSlot = 2;

/** What the child processes are configured with. */
export type Environment = {
  composition: Composition;
  ports: Ports;
  host: string;
  dataDir: string;
  logFolder: string;
  distDir: string;
  databaseUrl: string;
  /** Response times of the AI stand-in. */
  latency: { textMs: number; imageMs: number };
  /** Multiplies the durable engine's retry delays; 1 is the real service's. */
  retryScale: number;
  /** Additional variables for every child (tests: the movable clock, the time zone). */
  extra?: Variables;
  hasConsole?: boolean;
};

const loopback = "127.0.0.1";
const at = (port: number) => `http://${loopback}:${port}`;

/** The URL at which this machine reaches the app, independent of its public URL. */
export function localAppUrl({ ports, host }: Pick<Environment, "ports" | "host">): string {
  if (host === "::" || host === "0.0.0.0") return at(ports.app);
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${ports.app}`;
}

/** The console controls stand-ins, so it runs only next to one. */
export function runsConsole({ hasConsole, composition }: Pick<Environment, "hasConsole" | "composition">): boolean {
  return hasConsole === true && composition.standIns.length > 0;
}

/** The children to run; the order does not matter. */
export function childSpecs(environment: Environment): ChildSpec[] {
  const { standIns } = environment.composition;
  const inSandbox: SandboxService[] = standIns.filter((service) => service !== "inngest");
  if (runsConsole(environment)) inSandbox.push("console");
  return [
    ...(inSandbox.length > 0 ? [sandboxSpec("sandbox", inSandbox, environment, 3)] : []),
    ...(standIns.includes("inngest") ? [sandboxSpec("executor", ["inngest"], environment, 1)] : []),
    appSpec(environment, ["start"]),
  ];
}

/**
 * Keeps the app small after it handled many images: returns freed memory to the system instead of keeping it in glibc's
 * arenas (ignored elsewhere), and keeps the heap's young generation small.
 */
const compactMemory: Variables = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "262144",
  MALLOC_TRIM_THRESHOLD_: "262144",
};
const compactHeap = "--max-semi-space-size=16";

/** Where and with which settings an app runs. */
type AppCommand = { port: number; host: string; settings: Variables; distDir: string };

/** Node's arguments and the environment of `next start` or `next dev`. */
export function appCommand({ port, host, settings, distDir }: AppCommand, mode: ["start"] | ["dev"] = ["start"]) {
  const next = inRepository("node_modules", "next", "dist", "bin", "next");
  return {
    args: [compactHeap, next, ...mode, "-p", String(port), "-H", host],
    env: { ...inherited(), ...compactMemory, ...unset, ...settings, NEXT_DIST_DIR: distDir },
  };
}

/** The app: `next start` or `next dev`. Ready once its health check succeeds. */
export function appSpec(environment: Environment, mode: ["start"] | ["dev"]): ChildSpec {
  const { ports, host, composition, distDir } = environment;
  const command = appCommand({ port: ports.app, host, settings: composition.env, distDir }, mode);
  return {
    name: "app",
    args: command.args,
    env: { ...command.env, ...environment.extra },
    logFile: join(environment.logFolder, "app.log"),
    ending: { order: 2, signal: "SIGTERM", graceMs: 12_000 },
    ready: () => isHealthy(localAppUrl(environment)),
    readyDeadlineMs: 90_000,
  };
}

type SandboxService = Exclude<keyof SandboxOptions, "host" | "dataDir">;

/** Its environment holds the options of its own services only: those of real services contain real secrets. */
function sandboxSpec(name: string, services: SandboxService[], environment: Environment, order: number): ChildSpec {
  const folder = join(environment.dataDir, "sandbox");
  const { host, dataDir, ...others } = sandboxOptions(environment, folder);
  const all = { ...others, console: { port: environment.ports.console, entries: consoleEntries(environment) } };
  const own = Object.fromEntries(services.map((service) => [service, all[service]]));
  const options = JSON.stringify({ host, dataDir, ...own });
  return {
    name,
    args: [inRepository("sandbox", "main.ts"), "--services", services.join(","), "--data", folder],
    env: { ...inherited(), SANDBOX_OPTIONS: options, NODE_ENV: "production", ...environment.extra },
    logFile: join(environment.logFolder, `${name}.log`),
    ending: { order, signal: "SIGTERM", graceMs: 10_000 },
    ready: "message",
  };
}

/** The options of all stand-ins, on loopback. @param dataDir where they keep their state */
export function sandboxOptions(
  environment: Pick<Environment, "ports" | "host" | "latency" | "composition" | "databaseUrl" | "retryScale">,
  dataDir: string,
): Omit<SandboxOptions, "console"> {
  const { ports, latency, composition } = environment;
  const {
    PINTEREST_APP_ID = "",
    PINTEREST_APP_SECRET = "",
    APP_URL = "",
    OPENAI_API_KEY = "",
    OPENAI_IMAGE_CONCURRENCY = "8",
    GOOGLE_CLIENT_ID = "",
    GOOGLE_CLIENT_SECRET = "",
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
    google: {
      port: ports.google,
      client: {
        id: GOOGLE_CLIENT_ID,
        secret: GOOGLE_CLIENT_SECRET,
        redirectUris: [`${APP_URL.replace(/\/+$/, "")}/api/auth/google/callback/`],
      },
    },
    paddle: paddleOptions(environment),
    email: { smtpPort: ports.smtp, webPort: ports.inbox },
    inngest: {
      port: ports.executor,
      databaseUrl: environment.databaseUrl,
      appUrl: `${localAppUrl(environment)}/api/inngest`,
      retryScale: environment.retryScale,
      concurrency: quickCalls + callsPerImageSlot * Number(OPENAI_IMAGE_CONCURRENCY),
      eventKey: INNGEST_EVENT_KEY,
      signingKey: INNGEST_SIGNING_KEY,
    },
  };
}

/** The payment stand-in sells our offers, and sends its webhooks to the app on this machine. */
function paddleOptions(environment: Pick<Environment, "ports" | "host" | "composition">) {
  const { ports, composition } = environment;
  const { PADDLE_API_KEY = "", PADDLE_CLIENT_TOKEN = "", PADDLE_WEBHOOK_SECRET = "", APP_URL = "" } = composition.env;
  return {
    port: ports.paddle,
    apiKey: PADDLE_API_KEY,
    clientToken: PADDLE_CLIENT_TOKEN,
    webhook: { url: `${localAppUrl(environment)}/api/webhooks/paddle/`, secret: PADDLE_WEBHOOK_SECRET },
    catalog: sandboxCatalog(),
    checkoutUrl: `${APP_URL.replace(/\/+$/, "")}/pricing`,
  };
}

/** Not recorded in a stand-in's log. */
const CONTROL = "/__control/state";

/** The console's entries: the app and the stand-ins. */
export function consoleEntries(environment: Environment): ServiceEntry[] {
  const { ports, composition } = environment;
  const app = localAppUrl(environment);
  const { pinterest, openai, google, paddle, inbox, executor } = ports;
  const standIns: Record<string, ServiceEntry> = {
    pinterest: {
      ...toEntry("Pinterest", "Consent page, API v5, and a page for each pin.", at(pinterest), CONTROL),
      control: at(pinterest),
    },
    openai: {
      ...toEntry("OpenAI", "Generates titles, descriptions, and images.", at(openai), CONTROL),
      visit: false,
      control: at(openai),
    },
    google: {
      ...toEntry("Google", "Signs users in with made-up accounts.", at(google), CONTROL),
      visit: false,
      control: at(google),
    },
    paddle: {
      ...toEntry("Paddle", "Accepts test cards and sends webhooks.", at(paddle), CONTROL),
      control: at(paddle),
    },
    email: {
      ...toEntry("Inbox", "Every email the app sent. None were delivered.", at(inbox), CONTROL),
      control: at(inbox),
    },
    inngest: {
      ...toEntry("Durable executor", "Runs generation and publishing.", at(executor), "/"),
      runs: at(executor),
    },
  };
  const product = toEntry("Evertack", "The app itself.", composition.env.APP_URL ?? app, "");
  const first: ServiceEntry = { ...product, probe: `${app}/api/health/` };
  return [first, ...composition.standIns.flatMap((service) => standIns[service] ?? [])];
}

function toEntry(name: string, what: string, url: string, probePath: string): ServiceEntry {
  const id = name.toLowerCase().replaceAll(" ", "-");
  return { id, name, what, url, probe: `${url}${probePath}`, visit: true };
}

/** Whether the app is ready; an outage of the engine or the storage must not keep it from starting. */
async function isHealthy(appUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${appUrl}/api/health/`, { signal: AbortSignal.timeout(3_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    // Not listening yet; the caller has its own deadline.
    return false;
  }
}
