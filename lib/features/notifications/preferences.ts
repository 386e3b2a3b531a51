import "server-only";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { equalInConstantTime } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { MutableEmail } from "#lib/features/email/constants.ts";
import { makeToken, unsubscribeOffer } from "#lib/features/email/rendering.ts";
import { TEXTS } from "./constants.ts";
import { parseUnsubscribeToken } from "./policy.ts";
import type { SwitchEmailInput, SwitchEmailsByLinkInput, SwitchedEmails } from "./schema.ts";

/** One atomic, idempotent statement. Deleted users are ignored. */
const changeMutes = async (
  ctx: Ctx,
  { userId, kinds, isOn }: { userId: UserId; kinds: readonly MutableEmail[]; isOn: boolean },
): Promise<void> => {
  const without = kinds.reduce<SQL>(
    (list, kind) => sql`array_remove(${list}, ${kind}::text)`,
    sql`${users.mutedEmails}`,
  );
  const withAll = kinds.reduce<SQL>((list, kind) => sql`array_append(${list}, ${kind}::text)`, without);
  await ctx.db
    .update(users)
    .set({ mutedEmails: isOn ? without : withAll })
    .where(and(eq(users.id, userId), isNull(users.closedAt)));
};

/** @throws AppError `unauthenticated` */
export const switchEmail = async (ctx: Ctx, { kind, isOn }: SwitchEmailInput): Promise<void> =>
  changeMutes(ctx, { userId: requireUserId(ctx), kinds: [kind], isOn });

/** Without a login (RFC 8058); reusable. @throws AppError `invalid` when the signature is wrong */
export const switchEmailsByLink = async (
  ctx: Ctx,
  { token, isOn }: SwitchEmailsByLinkInput,
): Promise<SwitchedEmails> => {
  const offer = parseUnsubscribeToken(token);
  if (!offer) throw new AppError("invalid", { text: TEXTS.linkInvalid });
  const { userId, kinds, signature } = offer;
  const signed = makeToken(ctx, unsubscribeOffer(userId, kinds).seed);
  if (!equalInConstantTime(signature, signed)) throw new AppError("invalid", { text: TEXTS.linkInvalid });
  await changeMutes(ctx, { userId, kinds, isOn });
  ctx.log.set({ user_id: userId });
  return { kinds, isOn };
};
