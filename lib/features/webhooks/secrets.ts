import "server-only";
import { and, eq } from "drizzle-orm";
import { webhookEndpoints } from "#db/schema/webhooks.ts";
import type { Ctx } from "#lib/context.ts";
import type { Endpoint } from "./serializers.ts";

/** The secrets that sign now: during a rotation, the old one as well. */
export const secretsOf = (ctx: Ctx, endpoint: Endpoint, now: Date): string[] => {
  const { sealedSecret, previousSealedSecret, previousSecretEndsAt } = endpoint;
  const isRotating = previousSealedSecret !== null && previousSecretEndsAt !== null && previousSecretEndsAt > now;
  return [sealedSecret, ...(isRotating ? [previousSealedSecret] : [])].map((sealed) => ctx.sealer.open(sealed));
};

/** Re-encrypts the secrets with the first key. @returns how many endpoints, and how many could not be read */
export const resealSecrets = async (ctx: Ctx): Promise<{ resealed: number; unreadable: number }> => {
  const { sealer } = ctx;
  const sealedOf = ({ sealedSecret, previousSealedSecret }: Endpoint) =>
    [sealedSecret, previousSealedSecret].filter((sealed) => sealed !== null);
  const rows = await ctx.db.select().from(webhookEndpoints);
  const old = rows.filter((row) => !sealedOf(row).every((sealed) => sealer.isCurrent(sealed)));
  const readable = old.filter((row) => sealedOf(row).every((sealed) => sealer.canOpen(sealed)));
  const reseal = (sealed: string): string => sealer.seal(sealer.open(sealed));
  for (const { id, sealedSecret, previousSealedSecret: previous } of readable) {
    const isSame = and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.sealedSecret, sealedSecret));
    const secrets = { sealedSecret: reseal(sealedSecret), previousSealedSecret: previous && reseal(previous) };
    await ctx.db.update(webhookEndpoints).set(secrets).where(isSame);
  }
  return { resealed: readable.length, unreadable: old.length - readable.length };
};
