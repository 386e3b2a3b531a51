import "server-only";
import { desc, eq } from "drizzle-orm";
import { logins, securityEvents } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { SECURITY_LOG_SHOWN } from "./constants.ts";
import { deviceName } from "./device.ts";

export type SecurityEventKind = (typeof securityEvents.$inferSelect)["kind"];

/** Enough to recognize one's own provider; IPv6 addresses arrive as networks. */
const networkOf = (address: string): string => address.replace(/^(\d+\.\d+\.\d+)\.\d+$/, "$1.0/24");

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
  const loginId = event.loginId ?? (actor.kind === "user" ? actor.loginId : null);
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

export interface SecurityEvent {
  id: string;
  kind: SecurityEventKind;
  device: string;
  network: string;
  detail: string;
  createdAt: Date;
}

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
