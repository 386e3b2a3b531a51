import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { externalLogins, users } from "#db/schema/identity.ts";
import { isUniqueViolation } from "#db/sql.ts";
import { type Actor, type Ctx, inTransaction } from "#lib/context.ts";
import { randomToken } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { safePath } from "#lib/core/paths.ts";
import { changeSignIn, requireAddition } from "#lib/features/identity/confirmation.ts";
import { withoutPassword } from "#lib/features/identity/passwords.ts";
import { hasPassword, uniqueKey } from "#lib/features/identity/policy.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { recordSecurityEvent } from "#lib/features/identity/security-log.ts";
import type { OpenedLogin } from "#lib/features/identity/sessions.ts";
import type { GoogleProfile } from "#lib/integrations/google/port.ts";
import { attemptChallenge, type Challenge, endChallenge, openChallenge } from "./challenges.ts";
import { MESSAGES } from "./messages.ts";
import { GOOGLE_FAILURES, type GoogleFailure } from "./policy.ts";
import { type GoogleCallbackInput, type GoogleStartInput, googleRequest } from "./schema.ts";
import { finishSignIn } from "./second-step.ts";

interface Begun {
  url: string;
  /** For a cookie: only the browser that began may finish. */
  browserToken: string;
}

const begin = async (ctx: Ctx<"google">, userId: UserId | null, request: GoogleStartInput): Promise<Begun> => {
  const state = randomToken();
  const { url, challenge } = await ctx.google.begin(state);
  const kept = JSON.stringify({ ...challenge, ...request, next: safePath(request.next) });
  const { token } = await openChallenge(ctx, { kind: "google", userId, challenge: kept });
  return { url, browserToken: token };
};

/** @throws AppError `not_found` when the operator has not set Google up; `provider_unavailable` */
export const beginGoogleSignIn = (ctx: Ctx<"google">, input: GoogleStartInput): Promise<Begun> =>
  begin(ctx, null, input);

/** For the signed-in user. @throws AppError `confirm_identity`, `not_found`, `provider_unavailable` */
export const beginGoogleLink = async (ctx: Ctx<"google">): Promise<Begun> => {
  await requireAddition(ctx);
  return begin(ctx, requireUserId(ctx), { next: null, mayCreate: false });
};

export type GoogleOutcome =
  | { kind: "second_step"; challenge: string; next: string }
  | { kind: "signed_in"; login: OpenedLogin; next: string }
  | { kind: "linked" }
  | { kind: "failed"; reason: GoogleFailure; isLink: boolean };

const findLinked = async (ctx: Ctx, subject: string): Promise<typeof users.$inferSelect | null> => {
  const [row] = await ctx.db
    .select({ user: users })
    .from(externalLogins)
    .innerJoin(users, eq(users.id, externalLogins.userId))
    .where(and(eq(externalLogins.provider, "google"), eq(externalLogins.subject, subject), isNull(users.closedAt)));
  return row?.user ?? null;
};

/** False when the Google account, or this user, is connected already. */
const insertLink = async (tx: Ctx, userId: UserId, { subject, email }: GoogleProfile): Promise<boolean> => {
  const linked = await tx.db
    .insert(externalLogins)
    .values({ provider: "google", subject, userId, email, createdAt: tx.now() })
    .onConflictDoNothing()
    .returning({ userId: externalLogins.userId });
  return linked.length > 0;
};

const USERNAME_TRIES = 5;
const NAME_MAX = 60;

const usernameOf = (email: string, attempt: number): string => {
  const name = (email.split("@")[0] ?? "").normalize("NFKC").replace(/[^\p{L}\p{N}._-]/gu, "");
  const suffix = attempt === 0 ? "" : String(crypto.getRandomValues(new Uint32Array(1))[0]).slice(0, 6);
  return `${name.slice(0, 30).padEnd(3, "0")}${suffix}`;
};

const plainName = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .trim()
    .slice(0, NAME_MAX);

/** The address is confirmed, because Google has confirmed it. @throws on a taken username */
const insertUser = (ctx: Ctx, profile: GoogleProfile, username: string): Promise<typeof users.$inferSelect> =>
  inTransaction(ctx, async (tx) => {
    const [user] = await tx.db
      .insert(users)
      .values({
        id: tx.newId("user"),
        email: profile.email,
        emailKey: uniqueKey(profile.email),
        username,
        usernameKey: uniqueKey(username),
        firstName: plainName(profile.firstName) || username,
        lastName: plainName(profile.lastName),
        passwordHash: withoutPassword(),
        emailVerifiedAt: tx.now(),
        createdAt: tx.now(),
      })
      .returning();
    if (!user || !(await insertLink(tx, user.id, profile))) throw new AppError("wrong_state");
    await recordSecurityEvent(tx, { userId: user.id, kind: "google_linked", detail: profile.email });
    return user;
  });

const createUser = async (ctx: Ctx, profile: GoogleProfile): Promise<typeof users.$inferSelect> => {
  for (let attempt = 0; attempt < USERNAME_TRIES; attempt += 1) {
    try {
      return await insertUser(ctx, profile, usernameOf(profile.email, attempt));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
  throw new AppError("wrong_state");
};

const isTaken = async (ctx: Ctx, email: string): Promise<boolean> => {
  const [row] = await ctx.db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.emailKey, uniqueKey(email)));
  return row !== undefined;
};

/**
 * An account with the same address is never taken over: whoever registered it may not own the address. Its owner signs
 * in with the password and connects Google in Settings.
 */
const findOrCreate = async (
  ctx: Ctx,
  profile: GoogleProfile,
  limitRegistration: (() => Promise<void>) | null,
): Promise<typeof users.$inferSelect | GoogleFailure> => {
  const known = await findLinked(ctx, profile.subject);
  if (known) return known;
  if (!profile.isEmailVerified) return "google_unverified";
  if (await isTaken(ctx, profile.email)) return "google_exists";
  if (!limitRegistration) return "google_unknown";
  await limitRegistration();
  return createUser(ctx, profile);
};

const linkUser = async (ctx: Ctx<"jobs">, userId: UserId, profile: GoogleProfile): Promise<GoogleOutcome> => {
  const failed = (reason: GoogleFailure): GoogleOutcome => ({ kind: "failed", reason, isLink: true });
  if (ctx.actor.kind !== "user" || ctx.actor.userId !== userId) return failed("google_unconfirmed");
  return changeSignIn<GoogleOutcome>(ctx, async (tx) => {
    const isLinked = await insertLink(tx, userId, profile);
    if (!isLinked) throw new AppError("wrong_state", { text: GOOGLE_FAILURES.google_taken });
    return { result: { kind: "linked" }, event: { kind: "google_linked", detail: profile.email } };
  }).catch((error: unknown): GoogleOutcome => {
    if (!(error instanceof AppError) || error.retry) throw error;
    ctx.log.set({ google_problem: error.code });
    // The confirmation expired, or the login ended, while Google answered.
    const isLate = error.code === "confirm_identity" || error.code === "unauthenticated";
    return failed(isLate ? "google_unconfirmed" : "google_taken");
  });
};

const signIn = async (ctx: Ctx<"jobs">, user: typeof users.$inferSelect, next: string): Promise<GoogleOutcome> => {
  try {
    const login = await finishSignIn(ctx, user, { method: "google" });
    ctx.log.set({ user_id: login.userId, login_id: login.loginId });
    return { kind: "signed_in", login, next };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "second_step_required")) throw error;
    return { kind: "second_step", challenge: String(error.more?.challenge), next };
  }
};

interface Callback extends GoogleCallbackInput {
  /** Who signs in, whoever this browser was signed in as before. */
  visitor: Extract<Actor, { kind: "visitor" }>;
  /** Counts a registration. @throws AppError `too_many` */
  limitRegistration: () => Promise<void>;
}

const answerCallback = async (
  ctx: Ctx<"google" | "jobs">,
  { callbackUrl, visitor, limitRegistration }: Callback,
  kept: Challenge,
): Promise<GoogleOutcome> => {
  const { next, mayCreate, ...challenge } = googleRequest.parse(JSON.parse(kept.challenge));
  const isLink = kept.userId !== null;
  const answer = await ctx.google.finish(callbackUrl, challenge);
  ctx.log.set({ google_outcome: answer.kind });
  if (answer.kind !== "profile") {
    return { kind: "failed", reason: answer.kind === "declined" ? "google_declined" : "google_failed", isLink };
  }
  if (kept.userId !== null) return linkUser(ctx, kept.userId, answer.profile);
  const signingIn = { ...ctx, actor: visitor };
  const user = await findOrCreate(signingIn, answer.profile, mayCreate ? limitRegistration : null);
  if (typeof user === "string") return { kind: "failed", reason: user, isLink };
  return signIn(signingIn, user, next);
};

/** The callback. `browserToken` proves that this browser began it. A person waits, so failures are outcomes. */
export const finishGoogle = async (ctx: Ctx<"google" | "jobs">, callback: Callback): Promise<GoogleOutcome> => {
  const which = { token: callback.browserToken ?? "", kind: "google" as const };
  const kept = callback.browserToken ? await attemptChallenge(ctx, which) : null;
  if (!kept || !(await endChallenge(ctx, which))) return { kind: "failed", reason: "google_failed", isLink: false };
  try {
    return await answerCallback(ctx, callback, kept);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.log.set({ google_outcome: "failed", google_problem: error.code });
    return { kind: "failed", reason: "google_failed", isLink: kept.userId !== null };
  }
};

/** @throws AppError `confirm_identity`; `wrong_state` without a password, or without a connected account */
export const unlinkGoogle = async (ctx: Ctx<"jobs">): Promise<void> => {
  const userId = requireUserId(ctx);
  const unlink = async (tx: Ctx) => {
    const user = await findUser(tx, userId);
    if (!user || !hasPassword(user)) throw new AppError("wrong_state", { text: MESSAGES.passwordFirst });
    const [removed] = await tx.db
      .delete(externalLogins)
      .where(and(eq(externalLogins.userId, userId), eq(externalLogins.provider, "google")))
      .returning({ email: externalLogins.email });
    if (!removed) throw new AppError("wrong_state");
    return { result: undefined, event: { kind: "google_unlinked" as const, detail: removed.email } };
  };
  await changeSignIn(ctx, unlink, { isRemoval: true });
};

export const findGoogleEmail = async (ctx: Ctx): Promise<string | null> => {
  const isOwn = and(eq(externalLogins.userId, requireUserId(ctx)), eq(externalLogins.provider, "google"));
  const [row] = await ctx.db.select({ email: externalLogins.email }).from(externalLogins).where(isOwn);
  return row?.email ?? null;
};
