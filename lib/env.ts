import "server-only";
import type { z } from "zod";
import { settings } from "./env-schema.ts";

export type Env = z.output<typeof settings>;

const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname) || new URL(url).hostname.endsWith(".localhost");

const productionFaults = (env: Env): string[] => {
  const faults: string[] = [];
  if (!["", "0", "false"].includes(env.INNGEST_DEV))
    faults.push("INNGEST_DEV must not be set: it turns signatures off");
  if (isLoopback(env.APP_URL) || env.ALLOW_SANDBOX === "1") return faults;
  if (env.SANDBOX_SERVICES.length > 0) {
    faults.push(
      `SANDBOX_SERVICES names stand-ins (${env.SANDBOX_SERVICES.join(", ")}); set ALLOW_SANDBOX=1 to allow them`,
    );
  }
  if (env.GENERATED_SECRETS === "1") {
    faults.push("AUTH_SECRET and ENCRYPTION_KEY were generated; set your own, or ALLOW_SANDBOX=1");
  }
  return faults;
};

/**
 * Reads settings from a record of variables (DESIGN §4); empty texts count as absent.
 * @throws Error with one line per missing or wrong setting.
 */
export const parseEnv = (variables: Record<string, string | undefined>): Env => {
  const present = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = settings.safeParse(present);
  const faults = parsed.success
    ? productionFaults(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.slice(0, 1).join(".")}: ${issue.message}`);
  if (!parsed.success || faults.length > 0) {
    throw new Error(`The settings are not complete:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
  }
  return parsed.data;
};

let cached: Env | undefined;

/** The settings of this process, read once. */
export const env = (): Env => {
  cached ??= parseEnv(process.env);
  // next-auth reads its own variable; this is the one place that sets it.
  process.env.NEXTAUTH_URL = cached.APP_URL;
  return cached;
};
