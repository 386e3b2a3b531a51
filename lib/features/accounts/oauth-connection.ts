import "server-only";
import { and, eq, gt, isNull, lt } from "drizzle-orm";
import { oauthStates, pinterestAccounts } from "#db/schema/accounts.ts";
import { users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { equalInConstantTime, randomToken, sha256, signText } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { allowsAnotherAccount } from "#lib/features/billing/plans.ts";
import { settleFreeAllowance } from "#lib/features/credits/allowance.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import { removeDigestEntries } from "#lib/features/notifications/digests.ts";
import type { PinterestProblem, PinterestProfile, PinterestTokens } from "#lib/integrations/pinterest/port.ts";
import {
  CALLBACK_PATH,
  CONSENT_LIFETIME_MS,
  type ConnectionFailure,
  RELATED_TERMS_SCOPE,
  REQUIRED_SCOPES,
  SECRET_SCOPES,
} from "./constants.ts";
import { accountLimitText, type ConnectionOutcome, missingScopes } from "./policy.ts";
import { countConnectedAccounts, requireOwnedAccount } from "./queries.ts";
import type { CallbackInput, StartConnectionInput } from "./schema.ts";

/** The browser must return the secret in a cookie. */
export interface StartedConnection {
  authUrl: string;
  state: string;
  browserSecret: string;
}

const requireFreeAccountSlot = async (ctx: Ctx, userId: UserId): Promise<void> => {
  const plan = await findPlan(ctx, userId);
  if (allowsAnotherAccount(plan, await countConnectedAccounts(ctx, userId))) return;
  throw new AppError("plan_limit", { text: accountLimitText(plan) });
};

/** `accountId` reconnects that account, outside the plan's limit. @throws AppError `plan_limit`, `not_found` */
export const startConnection = async (
  ctx: Ctx<"pinterest">,
  input: StartConnectionInput,
): Promise<StartedConnection> => {
  const userId = requireUserId(ctx);
  const account = input.accountId === undefined ? null : await requireOwnedAccount(ctx, input.accountId);
  if (!account) await requireFreeAccountSlot(ctx, userId);
  const browserSecret = randomToken();
  const state = signState(ctx, { nonce: randomToken(), browserSecret });
  await ctx.db.delete(oauthStates).where(and(eq(oauthStates.userId, userId), lt(oauthStates.expiresAt, ctx.now())));
  await ctx.db.insert(oauthStates).values({
    stateHash: sha256(state),
    browserHash: sha256(browserSecret),
    userId,
    accountId: account?.id ?? null,
    expiresAt: addMs(ctx.now(), CONSENT_LIFETIME_MS),
  });
  const authUrl = ctx.pinterest.consentUrl({
    state,
    redirectUri: `${ctx.settings.appUrl}${CALLBACK_PATH}`,
    scopes: [...REQUIRED_SCOPES, ...SECRET_SCOPES, ...(ctx.settings.hasRelatedTerms ? [RELATED_TERMS_SCOPE] : [])],
  });
  return { authUrl, state, browserSecret };
};

const signState = (ctx: Pick<Ctx, "settings">, input: { nonce: string; browserSecret: string }): string => {
  const { nonce, browserSecret } = input;
  const signature = signText(ctx.settings.tokenSecret, `pinterest-consent:${nonce}:${sha256(browserSecret)}`);
  return `${nonce}.${signature}`;
};

/** `accountId`: null for a new connection. */
interface RedeemedState {
  userId: UserId;
  accountId: string | null;
}

/** Once, with one guarded update. Null when invalid, expired, used, or from another browser or user. */
const redeemState = async (
  ctx: Ctx,
  input: { state: string; browserSecret: string },
): Promise<RedeemedState | null> => {
  const { state, browserSecret } = input;
  const nonce = state.slice(0, state.indexOf("."));
  if (!equalInConstantTime(state, signState(ctx, { nonce, browserSecret }))) return null;
  const [row] = await ctx.db
    .update(oauthStates)
    .set({ usedAt: ctx.now() })
    .where(
      and(
        eq(oauthStates.stateHash, sha256(state)),
        eq(oauthStates.browserHash, sha256(browserSecret)),
        isNull(oauthStates.usedAt),
        gt(oauthStates.expiresAt, ctx.now()),
        ctx.actor.kind === "user" ? eq(oauthStates.userId, ctx.actor.userId) : undefined,
      ),
    )
    .returning({ userId: oauthStates.userId, accountId: oauthStates.accountId });
  return row ? { userId: row.userId, accountId: row.accountId } : null;
};

interface Connection extends RedeemedState {
  profile: PinterestProfile;
  tokens: PinterestTokens;
}

const upsert = async (tx: Ctx, { userId, profile, tokens }: Connection, isNew: boolean): Promise<void> => {
  const fresh = {
    ...sealTokens(tx, tokens),
    username: profile.username,
    status: "connected" as const,
    connectedAt: tx.now(),
    removedAt: null,
  };
  await tx.db
    .insert(pinterestAccounts)
    .values({ id: tx.newId("account"), userId, pinterestUserId: profile.pinterestUserId, ...fresh })
    .onConflictDoUpdate({
      target: [pinterestAccounts.userId, pinterestAccounts.pinterestUserId],
      // A reconnected account keeps its connection date, and so its place in the list.
      set: isNew ? fresh : { ...fresh, connectedAt: undefined },
    });
};

/** The user's lock keeps concurrent callbacks within the plan's limit. A known Pinterest user keeps its id and pins. */
export const storeConnection = (ctx: Ctx, connection: Connection): Promise<ConnectionOutcome> =>
  inTransaction(ctx, async (tx): Promise<ConnectionOutcome> => {
    const { userId, accountId, profile } = connection;
    const isThere = and(eq(users.id, userId), isNull(users.closedAt));
    // Not `for update`: ledger entries of a concurrent call refer to the user while holding the balance's lock.
    const [user] = await tx.db.select({ id: users.id }).from(users).where(isThere).for("no key update");
    // The user was deleted in the meantime.
    if (!user) return { kind: "failed", reason: "state" };
    const [known] = await tx.db
      .select({ id: pinterestAccounts.id, status: pinterestAccounts.status })
      .from(pinterestAccounts)
      .where(and(eq(pinterestAccounts.userId, userId), eq(pinterestAccounts.pinterestUserId, profile.pinterestUserId)));
    if (accountId !== null && known?.id !== accountId) return { kind: "failed", reason: "other_account" };
    const isNew = !known || known.status === "removed";
    if (isNew) {
      const plan = await findPlan(tx, userId);
      const connected = await countConnectedAccounts(tx, userId);
      if (!allowsAnotherAccount(plan, connected)) return { kind: "failed", reason: "limit" };
    }
    await upsert(tx, connection, isNew);
    await settleFreeAllowance(tx, { userId });
    if (known) await removeDigestEntries(tx, { userIds: [userId], kind: "account_lost", about: [known.id] });
    return { kind: "connected" };
  });

const failed = (reason: ConnectionFailure): ConnectionOutcome => ({ kind: "failed", reason });

const isPassing = ({ kind }: PinterestProblem): boolean => ["unavailable", "rate_limited", "busy"].includes(kind);

const providerFailure = (ctx: Ctx, problem: PinterestProblem): ConnectionOutcome => {
  ctx.log.count(`pinterest_problem_${problem.kind}`);
  ctx.log.set({ pinterest_status: problem.httpStatus, pinterest_code: problem.providerCode });
  return failed(isPassing(problem) ? "unavailable" : "failed");
};

const connect = async (
  ctx: Ctx<"pinterest">,
  input: CallbackInput & { browserSecret: string | undefined },
): Promise<ConnectionOutcome> => {
  const { state, code, error, browserSecret } = input;
  const redeemed = state && browserSecret ? await redeemState(ctx, { state, browserSecret }) : null;
  if (error !== undefined || code === undefined) return failed("denied");
  if (!redeemed) return failed("state");
  const redirectUri = `${ctx.settings.appUrl}${CALLBACK_PATH}`;
  const exchanged = await ctx.pinterest.exchangeCode({ code, redirectUri });
  if (exchanged.kind === "problem") return providerFailure(ctx, exchanged.problem);
  const tokens = exchanged.value;
  if (missingScopes(tokens.scopes).length > 0) return failed("scopes");
  const profile = await ctx.pinterest.readProfile(tokens.accessToken);
  if (profile.kind === "problem") return providerFailure(ctx, profile.problem);
  return storeConnection(ctx, { ...redeemed, tokens, profile: profile.value });
};

/** Failures are returned, not thrown. */
export const finishConnection = async (
  ctx: Ctx<"pinterest">,
  input: CallbackInput & { browserSecret: string | undefined },
): Promise<ConnectionOutcome> => {
  const outcome = await connect(ctx, input);
  ctx.log.set({ connection: outcome.kind === "connected" ? "connected" : outcome.reason });
  return outcome;
};

/** Columns that are always written together. */
export const sealTokens = (ctx: Ctx, tokens: PinterestTokens) => ({
  accessTokenSealed: ctx.sealer.seal(tokens.accessToken),
  refreshTokenSealed: ctx.sealer.seal(tokens.refreshToken),
  accessExpiresAt: addMs(ctx.now(), tokens.accessExpiresInSeconds * SECOND_MS),
  refreshExpiresAt: addMs(ctx.now(), tokens.refreshExpiresInSeconds * SECOND_MS),
  scopes: tokens.scopes.join(" "),
  refreshLease: null,
  refreshLeaseUntil: null,
});
