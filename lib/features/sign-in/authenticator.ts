import "server-only";
import { randomInt } from "node:crypto";
import { and, count, eq, isNotNull, isNull, lt, or } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { encode } from "uqr";
import { authenticators, recoveryCodes } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { signText } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { changeSignIn, requireAddition } from "#lib/features/identity/confirmation.ts";
import { recordSecurityEvent } from "#lib/features/identity/security-log.ts";
import { readSessionUser } from "#lib/features/identity/sessions.ts";
import { CODE_DIGITS, CODE_PERIOD_SECONDS, RECOVERY_CODE_DIGITS, RECOVERY_CODES } from "./constants.ts";
import { MESSAGES } from "./messages.ts";
import { inGroups, kindOfCode } from "./policy.ts";
import type { CodeInput } from "./schema.ts";

const totpOf = (secret: string, more: { label?: string; issuer?: string } = {}): TOTP =>
  new TOTP({
    ...more,
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    digits: CODE_DIGITS,
    period: CODE_PERIOD_SECONDS,
  });

/** The time step of a code, which may be one step early or late; null for a wrong code. */
const stepOf = (secret: string, code: string, at: Date): number | null => {
  const delta = totpOf(secret).validate({ token: code, timestamp: at.getTime(), window: 1 });
  return delta === null ? null : Math.floor(at.getTime() / (CODE_PERIOD_SECONDS * SECOND_MS)) + delta;
};

/** The modules of a QR code as the path of an SVG of `size` units. */
const drawQrCode = (text: string): { size: number; path: string } => {
  const { size, data } = encode(text, { ecc: "M", border: 2 });
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { size, path: modules.join("") };
};

interface AuthenticatorSetup {
  /** In groups of four, for apps that can't scan the QR code. */
  secret: string;
  uri: string;
  qr: { size: number; path: string };
}

const isOn = (userId: UserId) => and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAt));

/** The codes count only after `enableAuthenticator`. @throws AppError `confirm_identity`; `wrong_state` if they are on */
export const setUpAuthenticator = async (ctx: Ctx): Promise<AuthenticatorSetup> => {
  const { id: userId, email } = await readSessionUser(ctx);
  await requireAddition(ctx);
  const secret = new Secret({ size: 20 }).base32;
  const draft = { sealedSecret: ctx.sealer.seal(secret), createdAt: ctx.now() };
  const { confirmedAt } = authenticators;
  const stored = await ctx.db
    .insert(authenticators)
    .values({ userId, ...draft })
    .onConflictDoUpdate({ target: authenticators.userId, set: draft, setWhere: isNull(confirmedAt) })
    .returning({ userId: authenticators.userId });
  if (stored.length === 0) throw new AppError("wrong_state", { text: MESSAGES.codesOn });
  const uri = totpOf(secret, { label: email, issuer: ctx.settings.productName }).toString();
  return { secret: inGroups(secret), uri, qr: drawQrCode(uri) };
};

/** Keyed by the app's secret, so that codes stay valid when the operator's secrets change. */
const hashRecoveryCode = (secret: string, code: string): string => signText(secret, `recovery:${code}`);

const newRecoveryCode = (): string => Array.from({ length: RECOVERY_CODE_DIGITS }, () => randomInt(10)).join("");

const replaceRecoveryCodes = async (tx: Ctx, userId: UserId, secret: string): Promise<string[]> => {
  const codes = new Set<string>();
  while (codes.size < RECOVERY_CODES) codes.add(newRecoveryCode());
  await tx.db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  const rows = [...codes].map((code) => ({ userId, codeHash: hashRecoveryCode(secret, code), createdAt: tx.now() }));
  await tx.db.insert(recoveryCodes).values(rows);
  return [...codes].map(inGroups);
};

/** Shown once: only hashes are stored. */
interface NewRecoveryCodes {
  recoveryCodes: string[];
}

/** @throws AppError `confirm_identity`; `wrong_state` without a setup; `invalid` for a wrong code */
export const enableAuthenticator = async (ctx: Ctx<"jobs">, { code }: CodeInput): Promise<NewRecoveryCodes> => {
  const userId = requireUserId(ctx);
  return changeSignIn(ctx, async (tx) => {
    const isDraft = and(eq(authenticators.userId, userId), isNull(authenticators.confirmedAt));
    const [draft] = await tx.db.select().from(authenticators).where(isDraft).for("update");
    if (!draft) throw new AppError("wrong_state", { text: MESSAGES.setUpAgain });
    const secret = tx.sealer.open(draft.sealedSecret);
    const lastStep = stepOf(secret, code, tx.now());
    if (lastStep === null) throw wrongCode();
    await tx.db.update(authenticators).set({ confirmedAt: tx.now(), lastStep }).where(isDraft);
    const result = { recoveryCodes: await replaceRecoveryCodes(tx, userId, secret) };
    return { result, event: { kind: "codes_enabled" } };
  });
};

/** Ends the old ones. @throws AppError `confirm_identity`; `wrong_state` while two-step sign-in is off */
export const createRecoveryCodes = async (ctx: Ctx<"jobs">): Promise<NewRecoveryCodes> => {
  const userId = requireUserId(ctx);
  return changeSignIn(ctx, async (tx) => {
    const [row] = await tx.db.select().from(authenticators).where(isOn(userId));
    if (!row) throw new AppError("wrong_state", { text: MESSAGES.codesOff });
    const result = { recoveryCodes: await replaceRecoveryCodes(tx, userId, tx.sealer.open(row.sealedSecret)) };
    return { result, event: { kind: "recovery_codes_created" } };
  });
};

/** @throws AppError `confirm_identity`; `wrong_state` while two-step sign-in is off */
export const disableAuthenticator = async (ctx: Ctx<"jobs">): Promise<void> => {
  const userId = requireUserId(ctx);
  const turnOff = async (tx: Ctx) => {
    const deleted = await tx.db.delete(authenticators).where(isOn(userId));
    if (deleted.count === 0) throw new AppError("wrong_state", { text: MESSAGES.codesOff });
    await tx.db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
    return { result: undefined, event: { kind: "codes_disabled" as const } };
  };
  await changeSignIn(ctx, turnOff, { isRemoval: true });
};

export const hasAuthenticator = async (ctx: Ctx, userId: UserId): Promise<boolean> => {
  const rows = await ctx.db.select({ userId: authenticators.userId }).from(authenticators).where(isOn(userId));
  return rows.length > 0;
};

interface TwoStepState {
  /** Null while it is off. */
  onSince: Date | null;
  recoveryCodesLeft: number;
}

const countRecoveryCodes = async (ctx: Ctx, userId: UserId): Promise<number> => {
  const isLeft = and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt));
  const [row] = await ctx.db.select({ left: count() }).from(recoveryCodes).where(isLeft);
  return row?.left ?? 0;
};

export const readTwoStep = async (ctx: Ctx): Promise<TwoStepState> => {
  const userId = requireUserId(ctx);
  const [row] = await ctx.db.select().from(authenticators).where(isOn(userId));
  return { onSince: row?.confirmedAt ?? null, recoveryCodesLeft: row ? await countRecoveryCodes(ctx, userId) : 0 };
};

export const wrongCode = (): AppError =>
  new AppError("invalid", { text: MESSAGES.wrongCode, fields: { code: [MESSAGES.wrongCode] } });

const spendAppCode = async (tx: Ctx, userId: UserId, step: number | null): Promise<boolean> => {
  if (step === null) return false;
  const { lastStep } = authenticators;
  const isNew = and(isOn(userId), or(isNull(lastStep), lt(lastStep, step)));
  return (await tx.db.update(authenticators).set({ lastStep: step }).where(isNew)).count > 0;
};

const spendRecoveryCode = async (tx: Ctx, userId: UserId, codeHash: string): Promise<boolean> => {
  const isThis = and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash));
  const used = await tx.db
    .update(recoveryCodes)
    .set({ usedAt: tx.now() })
    .where(and(isThis, isNull(recoveryCodes.usedAt)));
  if (used.count === 0) return false;
  const detail = `${await countRecoveryCodes(tx, userId)} left`;
  await recordSecurityEvent(tx, { userId, kind: "recovery_code_used", detail });
  return true;
};

/** Each code works once, in whichever process it arrives first. Call it in a transaction; null for a wrong code. */
export const spendCode = async (
  tx: Ctx,
  { userId, code }: { userId: UserId; code: string },
): Promise<"app" | "recovery" | null> => {
  const [row] = await tx.db.select().from(authenticators).where(isOn(userId));
  const kind = kindOfCode(code);
  if (!row || kind === null) return null;
  const secret = tx.sealer.open(row.sealedSecret);
  const isSpent =
    kind === "app"
      ? await spendAppCode(tx, userId, stepOf(secret, code, tx.now()))
      : await spendRecoveryCode(tx, userId, hashRecoveryCode(secret, code));
  return isSpent ? kind : null;
};

/** Re-encrypts the secrets with the first key. @returns how many, and how many could not be read */
export const resealAuthenticators = async (ctx: Ctx): Promise<{ resealed: number; unreadable: number }> => {
  const rows = await ctx.db.select().from(authenticators);
  const old = rows.filter(({ sealedSecret }) => !ctx.sealer.isCurrent(sealedSecret));
  const readable = old.filter(({ sealedSecret }) => ctx.sealer.canOpen(sealedSecret));
  for (const { userId, sealedSecret: before } of readable) {
    const sealedSecret = ctx.sealer.seal(ctx.sealer.open(before));
    const isSame = and(eq(authenticators.userId, userId), eq(authenticators.sealedSecret, before));
    await ctx.db.update(authenticators).set({ sealedSecret }).where(isSame);
  }
  return { resealed: readable.length, unreadable: old.length - readable.length };
};
