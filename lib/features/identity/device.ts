import "server-only";
import { parse } from "bowser";
import { and, eq } from "drizzle-orm";
import { logins, securityEvents, type users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { equalInConstantTime, signText } from "#lib/core/crypto.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { DAY_MS, formatDateTime, toIso } from "#lib/core/time.ts";
import { queueEmail } from "#lib/features/email/delivery.ts";
import { countShared } from "#lib/features/limits/shared-counts.ts";
import { DEVICE_MAX, NEW_DEVICE_EMAILS_MAX, UNKNOWN_DEVICE } from "./constants.ts";

const USER_AGENT_MAX = 400;

const plain = (name: string | undefined): string => (name ?? "").replace(/[^\p{L}\p{N} .+-]/gu, "").trim();

export const deviceName = (userAgent: string | null | undefined): string => {
  const header = (userAgent ?? "").slice(0, USER_AGENT_MAX).trim();
  if (!header) return UNKNOWN_DEVICE;
  const { browser, os } = parse(header);
  // Programs that are not browsers put their name first, as in `curl/8.5`.
  const name = plain(browser.name) || plain(/^[A-Za-z][\w.-]*(?=\/)/.exec(header)?.[0]);
  const system = plain(os.name);
  if (!name && !system) return UNKNOWN_DEVICE;
  return `${name || "Unknown browser"}${system ? ` on ${system}` : ""}`.slice(0, DEVICE_MAX);
};

/** Enough to recognize one's own provider; IPv6 addresses arrive as networks. */
export const networkOf = (address: string): string => address.replace(/^(\d+\.\d+\.\d+)\.\d+$/, "$1.0/24");

/** For a cookie that proves later that this account signed in here; ends with its password. */
export const browserProof = (ctx: Pick<Ctx, "settings">, user: { id: UserId; passwordHash: string }): string =>
  signText(ctx.settings.tokenSecret, `known-browser:${user.id}:${user.passwordHash}`);

export const isKnownBrowser = (ctx: Ctx, user: { id: UserId; passwordHash: string }): boolean => {
  const proof = ctx.actor.kind === "visitor" ? ctx.actor.knownBrowser : null;
  return Boolean(proof) && equalInConstantTime(proof ?? "", browserProof(ctx, user));
};

const hasSignedInBefore = async (tx: Ctx, userId: UserId): Promise<boolean> => {
  const kept = tx.db.select({ id: logins.id }).from(logins).where(eq(logins.userId, userId));
  // The log outlives ended logins.
  const isSignIn = and(eq(securityEvents.userId, userId), eq(securityEvents.kind, "signed_in"));
  const logged = tx.db.select({ id: securityEvents.id }).from(securityEvents).where(isSignIn);
  return (await kept.limit(1)).length > 0 || (await logged.limit(1)).length > 0;
};

type User = typeof users.$inferSelect;

/** Call it before the login is inserted. @returns the email to deliver after the commit, if any */
export const queueNewDevice = async (tx: Ctx, user: User, device: string): Promise<EmailId[]> => {
  if (tx.actor.kind !== "visitor" || user.emailVerifiedAt === null || isKnownBrowser(tx, user)) return [];
  if (!(await hasSignedInBefore(tx, user.id))) return [];
  const { calls } = await countShared(tx, { name: "new-device-email", subject: user.id, windowMs: DAY_MS });
  if (calls > NEW_DEVICE_EMAILS_MAX) return [];
  const zone = user.chosenTimeZone ?? user.timeZone;
  const at = `${formatDateTime(toIso(tx.now()), zone)} (${zone.replaceAll("_", " ")})`;
  const network = networkOf(tx.actor.address);
  const content = { kind: "new_device" as const, firstName: user.firstName, device, network, at };
  return [await queueEmail(tx, { userId: user.id, recipient: user.email, content })];
};
