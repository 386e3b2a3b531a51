import "server-only";
import { desc, eq } from "drizzle-orm";
import { logins, securityEvents } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { SECURITY_LOG_SHOWN } from "./constants.ts";
import { deviceName, networkOf } from "./device.ts";
import type { SecurityEvent, SecurityEventKind } from "./schema.ts";

const deviceOf = async (ctx: Ctx, loginId: LoginId | null): Promise<string> => {
  if (ctx.actor.kind === "visitor") return deviceName(ctx.actor.userAgent);
  if (!loginId) return "";
  const [login] = await ctx.db.select({ device: logins.device }).from(logins).where(eq(logins.id, loginId));
  return login?.device ?? "";
};

/** Call it in the transaction of what it reports. */
export const recordSecurityEvent = async (
  tx: Ctx,
  event: { userId: UserId; kind: SecurityEventKind; loginId?: LoginId; detail?: string },
): Promise<void> => {
  const { actor } = tx;
  // A link from an email may be opened in a browser where someone else is signed in.
  const own = actor.kind === "user" && actor.userId === event.userId ? actor.loginId : null;
  const loginId = event.loginId ?? own;
  await tx.db.insert(securityEvents).values({
    id: tx.newId("securityEvent"),
    userId: event.userId,
    kind: event.kind,
    loginId,
    device: await deviceOf(tx, loginId),
    network: "address" in actor ? networkOf(actor.address) : "",
    detail: event.detail ?? "",
    createdAt: tx.now(),
  });
};

/** The latest first. */
export const listSecurityEvents = (ctx: Ctx): Promise<SecurityEvent[]> => {
  const { id, kind, device, network, detail, createdAt, userId } = securityEvents;
  return ctx.db
    .select({ id, kind, device, network, detail, createdAt })
    .from(securityEvents)
    .where(eq(userId, requireUserId(ctx)))
    .orderBy(desc(createdAt), desc(id))
    .limit(SECURITY_LOG_SHOWN);
};
