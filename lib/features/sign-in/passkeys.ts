import "server-only";
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import { passkeys } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, messageOf, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { changeSignIn, recordConfirmation, requireAddition } from "#lib/features/identity/confirmation.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { recordSecurityEvent } from "#lib/features/identity/security-log.ts";
import { deliverLogin, insertLogin, type OpenedLogin, readSessionUser } from "#lib/features/identity/sessions.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { attemptChallenge, endChallenge, openChallenge } from "./challenges.ts";
import { PASSKEYS_MAX } from "./constants.ts";
import { MESSAGES } from "./messages.ts";
import type { AddPasskeyInput, PasskeyAnswer, PasskeyInput, RenamePasskeyInput } from "./schema.ts";

/** EdDSA, ES256 and RS256 (COSE), which together cover all current devices. */
const ALGORITHMS = [-8, -7, -257];

type Passkey = typeof passkeys.$inferSelect;

/** What the browser needs, and the token that its answer must bring. */
interface PasskeyRequest<O> {
  token: string;
  options: O;
}

/** Browsers bind passkeys to this site: they work on no other origin. */
const siteOf = ({ settings }: Ctx): { rpID: string; origin: string } => {
  const { hostname, origin } = new URL(settings.appUrl);
  return { rpID: hostname, origin };
};

const ownPasskeys = (ctx: Ctx, userId: UserId): Promise<Passkey[]> =>
  ctx.db
    .select()
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(desc(passkeys.createdAt), desc(passkeys.id));

const toDescriptor = ({ credentialId, transports }: Passkey) => ({ id: credentialId, transports });

/** The library rejects malformed, foreign and wrong answers alike. */
const verified = async <R>(ctx: Ctx, verify: () => Promise<R>): Promise<R | null> => {
  try {
    return await verify();
  } catch (error) {
    ctx.log.set({ passkey_problem: messageOf(error) });
    return null;
  }
};

/** @throws AppError `confirm_identity`; `wrong_state` at the maximum, and without a confirmed address */
export const requestNewPasskey = async (ctx: Ctx): Promise<PasskeyRequest<PublicKeyCredentialCreationOptionsJSON>> => {
  const user = await readSessionUser(ctx);
  await requireAddition(ctx);
  const known = await ownPasskeys(ctx, user.id);
  if (known.length >= PASSKEYS_MAX) throw new AppError("wrong_state", { text: MESSAGES.manyPasskeys });
  const options = await generateRegistrationOptions({
    rpName: ctx.settings.productName,
    rpID: siteOf(ctx).rpID,
    userID: new TextEncoder().encode(user.id),
    userName: user.email,
    userDisplayName: user.username,
    excludeCredentials: known.map(toDescriptor),
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const { token } = await openChallenge(ctx, { kind: "passkey_add", userId: user.id, challenge: options.challenge });
  return { token, options };
};

const insertPasskey = (tx: Ctx, row: typeof passkeys.$inferInsert): Promise<{ id: string }[]> =>
  tx.db.insert(passkeys).values(row).onConflictDoNothing().returning({ id: passkeys.id });

/** @throws AppError `confirm_identity`; `wrong_state` for a wrong or late answer, a known passkey, and at the maximum */
export const addPasskey = async (ctx: Ctx<"jobs">, { token, name, response }: AddPasskeyInput): Promise<void> => {
  const userId = requireUserId(ctx);
  const which = { token, kind: "passkey_add" } as const;
  const challenge = await attemptChallenge(ctx, which);
  const refused = () => new AppError("wrong_state", { text: MESSAGES.refusedPasskey });
  if (challenge?.userId !== userId) throw refused();
  const { rpID, origin } = siteOf(ctx);
  const answer = await verified(ctx, () =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge.challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (!answer?.verified) throw refused();
  const { id: credentialId, publicKey, counter } = answer.registrationInfo.credential;
  const key = { credentialId, publicKey: Buffer.from(publicKey).toString("base64url"), counter };
  await changeSignIn(ctx, async (tx) => {
    if (!(await endChallenge(tx, which))) throw refused();
    // The lock of the user keeps the count right under concurrent requests.
    const known = await ownPasskeys(tx, userId);
    if (known.length >= PASSKEYS_MAX) throw new AppError("wrong_state", { text: MESSAGES.manyPasskeys });
    const transports = response.response.transports ?? [];
    const row = { id: tx.newId("passkey"), userId, ...key, transports, name, createdAt: tx.now() };
    const added = await insertPasskey(tx, row);
    if (added.length === 0) throw new AppError("wrong_state", { text: MESSAGES.knownPasskey });
    return { result: undefined, event: { kind: "passkey_added", detail: name } };
  });
};

interface ListedPasskey {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

export const listPasskeys = async (ctx: Ctx): Promise<ListedPasskey[]> => {
  const rows = await ownPasskeys(ctx, requireUserId(ctx));
  return rows.map(({ id, name, createdAt, lastUsedAt }) => ({ id, name, createdAt, lastUsedAt }));
};

const isOwn = (ctx: Ctx, { passkeyId }: PasskeyInput) =>
  and(eq(passkeys.id, passkeyId), eq(passkeys.userId, requireUserId(ctx)));

/** @throws AppError `not_found` unless it is theirs */
export const renamePasskey = async (ctx: Ctx, input: RenamePasskeyInput): Promise<void> => {
  const renamed = await ctx.db.update(passkeys).set({ name: input.name }).where(isOwn(ctx, input));
  if (renamed.count === 0) throw new AppError("not_found");
};

/** @throws AppError `confirm_identity`; `not_found` unless it is theirs */
export const removePasskey = (ctx: Ctx<"jobs">, input: PasskeyInput): Promise<void> =>
  changeSignIn(
    ctx,
    async (tx) => {
      const [removed] = await tx.db.delete(passkeys).where(isOwn(tx, input)).returning({ name: passkeys.name });
      if (!removed) throw new AppError("not_found");
      return { result: undefined, event: { kind: "passkey_removed", detail: removed.name } };
    },
    { isRemoval: true },
  );

type UseRequest = PasskeyRequest<PublicKeyCredentialRequestOptionsJSON>;

/** Names no passkeys, so it says nothing about anyone: the browser offers its own. */
export const requestPasskeySignIn = async (ctx: Ctx): Promise<UseRequest> => {
  const options = await generateAuthenticationOptions({ rpID: siteOf(ctx).rpID, userVerification: "required" });
  const { token } = await openChallenge(ctx, { kind: "passkey_sign_in", userId: null, challenge: options.challenge });
  return { token, options };
};

/** @throws AppError `wrong_state` without a passkey */
export const requestPasskeyConfirmation = async (ctx: Ctx): Promise<UseRequest> => {
  const userId = requireUserId(ctx);
  const known = await ownPasskeys(ctx, userId);
  if (known.length === 0) throw new AppError("wrong_state", { text: MESSAGES.noPasskey });
  const options = await generateAuthenticationOptions({
    rpID: siteOf(ctx).rpID,
    userVerification: "required",
    allowCredentials: known.map(toDescriptor),
  });
  const { token } = await openChallenge(ctx, { kind: "passkey_confirm", userId, challenge: options.challenge });
  return { token, options };
};

interface VerifiedUse {
  passkey: Passkey;
  counter: number;
}

/** Null unless the answer was signed by the passkey that it names, with the user verified. */
const verifyUse = async (
  ctx: Ctx,
  { response }: PasskeyAnswer,
  expectedChallenge: string,
): Promise<VerifiedUse | null> => {
  const [passkey] = await ctx.db.select().from(passkeys).where(eq(passkeys.credentialId, response.id));
  if (!passkey) return null;
  const { userHandle } = response.response;
  if (userHandle && Buffer.from(userHandle, "base64url").toString() !== passkey.userId) return null;
  const { rpID, origin } = siteOf(ctx);
  const answer = await verified(ctx, () =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      // Zero, because `countUse` compares the counter, over all processes.
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
        counter: 0,
      },
    }),
  );
  return answer?.verified ? { passkey, counter: answer.authenticationInfo.newCounter } : null;
};

/** False if the counter went back: the passkey may be a copy. Many passkeys do not count and stay at zero. */
const countUse = async (tx: Ctx, { passkey, counter }: VerifiedUse): Promise<boolean> => {
  const grows = or(lt(passkeys.counter, counter), and(eq(passkeys.counter, 0), sql`${counter}::bigint = 0`));
  const used = await tx.db
    .update(passkeys)
    .set({ counter, lastUsedAt: tx.now() })
    .where(and(eq(passkeys.id, passkey.id), eq(passkeys.userId, passkey.userId), grows));
  return used.count > 0;
};

const refuseCopy = async (ctx: Ctx, { userId, name }: Passkey, code: "wrong_login" | "invalid"): Promise<AppError> => {
  await inTransaction(ctx, (tx) => recordSecurityEvent(tx, { userId, kind: "passkey_refused", detail: name }));
  return new AppError(code, { text: MESSAGES.copiedPasskey });
};

/** Counts as both steps, since the device verifies the user. @throws AppError `wrong_login`; `unauthenticated` if late */
export const signInWithPasskey = async (ctx: Ctx<"jobs">, answer: PasskeyAnswer): Promise<OpenedLogin> => {
  const which = { token: answer.token, kind: "passkey_sign_in" } as const;
  const challenge = await attemptChallenge(ctx, which);
  if (!challenge) throw new AppError("unauthenticated", { text: MESSAGES.latePasskey });
  const use = await verifyUse(ctx, answer, challenge.challenge);
  const user = use && (await findUser(ctx, use.passkey.userId));
  const unknown = () => new AppError("wrong_login", { text: MESSAGES.unknownPasskey });
  if (!use || !user) throw unknown();
  const login = await inTransaction(ctx, async (tx) => {
    await lockUser(tx, user.id);
    if (!(await endChallenge(tx, which))) throw unknown();
    return (await countUse(tx, use)) ? insertLogin(tx, user, { method: "passkey" }) : null;
  });
  if (!login) throw await refuseCopy(ctx, use.passkey, "wrong_login");
  ctx.log.set({ user_id: login.userId, login_id: login.loginId });
  return deliverLogin(ctx, login);
};

/** Proves again who the user is, with one of their passkeys. @throws AppError `invalid` */
export const confirmWithPasskey = async (ctx: Ctx, answer: PasskeyAnswer): Promise<void> => {
  const userId = requireUserId(ctx);
  const which = { token: answer.token, kind: "passkey_confirm" } as const;
  const challenge = await attemptChallenge(ctx, which);
  const use = challenge?.userId === userId ? await verifyUse(ctx, answer, challenge.challenge) : null;
  const refused = () => new AppError("invalid", { text: MESSAGES.refusedPasskey });
  if (use?.passkey.userId !== userId) throw refused();
  const isCounted = await inTransaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    if (!(await endChallenge(tx, which))) throw refused();
    const counted = await countUse(tx, use);
    if (counted) await recordConfirmation(tx);
    return counted;
  });
  if (!isCounted) throw await refuseCopy(ctx, use.passkey, "invalid");
};
