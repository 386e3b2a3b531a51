import "server-only";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { changeMutes } from "./change-mutes.ts";
import type { SwitchMailInput } from "./schema.ts";

/** Switches one kind of the actor's mails on or off (R-SRV-04). @throws AppError `unauthenticated` */
export const switchMail = async (ctx: Ctx, { kind, isOn }: SwitchMailInput): Promise<void> =>
  changeMutes(ctx, { userId: requireUserId(ctx), kinds: [kind], isOn });
