import { z } from "zod";
import type { Variables } from "../compose.ts";
import { OperatorError, readSetting } from "../operator.ts";

const KEY_OF = { sandbox: "pdl_sdbx_", production: "pdl_live_" } as const;

/**
 * How these settings reach Paddle.
 * @throws OperatorError for what is missing, and for a key that is of the other environment
 */
export function readConnection(settings: Variables): { apiKey: string; apiUrl: string } {
  const apiKey = readSetting(settings, "PADDLE_API_KEY");
  const environment = readSetting(settings, "PADDLE_ENVIRONMENT");
  const apiUrl = readSetting(settings, "PADDLE_API_URL");
  const other = environment === "sandbox" ? "production" : "sandbox";
  if (apiUrl === undefined && apiKey.startsWith(KEY_OF[other])) {
    throw new OperatorError(`PADDLE_API_KEY is a key of ${other}, but PADDLE_ENVIRONMENT is ${environment}.`);
  }
  return { apiKey, apiUrl: apiUrl ?? environment };
}

const ids = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const named = z.record(z.string(), ids);

/** What PADDLE_PRICES names so far; it may lack some. @throws OperatorError when it is no JSON of texts */
export function readNamedPrices({ PADDLE_PRICES }: Variables): Record<string, string[]> {
  if (!PADDLE_PRICES) return {};
  try {
    return named.parse(JSON.parse(PADDLE_PRICES));
  } catch {
    throw new OperatorError("PADDLE_PRICES is not JSON as this command prints it. Take it out, or mend it.");
  }
}
