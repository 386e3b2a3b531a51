import "server-only";
import { createHmac, hash, randomBytes } from "node:crypto";
import { SECOND_MS } from "#lib/core/time.ts";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** In the form that libraries of Standard Webhooks take. */
export const createSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");

interface Signed {
  messageId: string;
  sentAt: Date;
  body: string;
}

const timestampOf = (sentAt: Date): string => String(Math.floor(sentAt.getTime() / SECOND_MS));

/** The header `webhook-signature`: one signature per secret, as in Standard Webhooks. */
export const signMessage = (secrets: readonly string[], { messageId, sentAt, body }: Signed): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
      const signature = createHmac("sha256", key)
        .update(`${messageId}.${timestampOf(sentAt)}.${body}`)
        .digest("base64");
      return `v1,${signature}`;
    })
    .join(" ");

/** The headers of an attempt. The product's name is reduced to ASCII, as headers must be. */
export const headersOf = (
  { messageId, sentAt, signature }: Omit<Signed, "body"> & { signature: string },
  { productName, appUrl }: { productName: string; appUrl: string },
): Record<string, string> => ({
  "content-type": "application/json",
  "user-agent": `${productName.replace(/[^ -~]/g, "")} webhooks (+${appUrl})`,
  "webhook-id": messageId,
  "webhook-timestamp": timestampOf(sentAt),
  "webhook-signature": signature,
});

/** A number from 0 to 1 that is always the same for a text. */
export const shareOf = (text: string): number => Number.parseInt(hash("sha256", text, "hex").slice(0, 8), 16) / 2 ** 32;
