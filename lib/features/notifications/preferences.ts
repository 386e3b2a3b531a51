import "server-only";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { equalInConstantTime } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { MutableMail } from "#lib/features/email/constants.ts";
import { makeToken, offerUnsubscribe } from "#lib/features/email/rendering.ts";
import { TEXTS } from "./constants.ts";
import { parseOffer } from "./policy.ts";
import type { SwitchedMails, SwitchMailInput, SwitchOfferedInput } from "./schema.ts";

/**
 * Switches kinds of mail on or off, in one statement: of two at once each keeps what the other did, and one twice is
 * one. Of a deleted user there is nothing to switch. What waits to be told is asked again when its mail is made.
 */
const changeMutes = async (
  ctx: Ctx,
  { userId, kinds, isOn }: { userId: UserId; kinds: readonly MutableMail[]; isOn: boolean },
): Promise<void> => {
  const without = kinds.reduce<SQL>(
    (list, kind) => sql`array_remove(${list}, ${kind}::text)`,
    sql`${users.mutedMails}`,
  );
  const withAll = kinds.reduce<SQL>((list, kind) => sql`array_append(${list}, ${kind}::text)`, without);
  await ctx.db
    .update(users)
    .set({ mutedMails: isOn ? without : withAll })
    .where(and(eq(users.id, userId), isNull(users.closedAt)));
};

/** Switches one kind of the actor's mails on or off (R-SRV-04). @throws AppError `unauthenticated` */
export const switchMail = async (ctx: Ctx, { kind, isOn }: SwitchMailInput): Promise<void> =>
  changeMutes(ctx, { userId: requireUserId(ctx), kinds: [kind], isOn });

/**
 * Switches off the mails of the kinds that a mail told of, by the link at its foot and without a login (RFC 8058), or
 * on again. The link changes nothing else, tells nothing of its user, and may be used again and again.
 * @throws AppError `invalid` for a link that we did not sign
 */
export const switchOffered = async (ctx: Ctx, { token, isOn }: SwitchOfferedInput): Promise<SwitchedMails> => {
  const offer = parseOffer(token);
  if (!offer) throw new AppError("invalid", { text: TEXTS.linkInvalid });
  const { userId, kinds, signature } = offer;
  const signed = makeToken(ctx, offerUnsubscribe(userId, kinds).seed);
  if (!equalInConstantTime(signature, signed)) throw new AppError("invalid", { text: TEXTS.linkInvalid });
  await changeMutes(ctx, { userId, kinds, isOn });
  ctx.log.set({ user_id: userId });
  return { kinds, isOn };
};
