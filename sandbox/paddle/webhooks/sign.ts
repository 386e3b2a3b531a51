import { createHmac } from "node:crypto";

/** `ts=…;h1=…[;h1=…]`, one `h1` for each secret, in their order. */
export function signatureHeader(body: string, secrets: readonly string[], at: Date): string {
  const ts = Math.floor(at.getTime() / 1000);
  const parts = secrets.map((secret) => `h1=${createHmac("sha256", secret).update(`${ts}:${body}`).digest("hex")}`);
  return [`ts=${ts}`, ...parts].join(";");
}
