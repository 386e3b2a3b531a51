import "server-only";
import type { Ctx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { renderLetter } from "#lib/features/letters/render-letter.ts";
import type { Letter } from "#lib/features/letters/schema.ts";

/** Sends a mail from within a step. @throws when the server does not take it: the engine tries again, the log says why. */
export const sendMail = async (
  ctx: Ctx<"mail">,
  mail: { to: string; letter: Letter; uniqueKey: string },
): Promise<void> => {
  const { to, letter, uniqueKey } = mail;
  ctx.log.set({ letter: letter.kind });
  try {
    await ctx.mail.send({ ...renderLetter(ctx, letter), to, uniqueKey });
  } catch (error) {
    ctx.log.set({ mail_problem: messageOf(error) });
    throw error;
  }
};
