import "server-only";
import { eq } from "drizzle-orm";
import { emailVerifications, users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { sha256, signText } from "#lib/core/digest.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import type { Mail } from "#lib/integrations/mail/port.ts";
import { VERIFICATION_LIFE_MS } from "./constants.ts";

/** The engine tries again; the log says that it was the mail server. */
const send = async (ctx: Ctx<"mail">, mail: Mail): Promise<void> => {
  try {
    await ctx.mail.send(mail);
  } catch (error) {
    ctx.log.set({ mail_problem: messageOf(error) });
    throw error;
  }
};

/**
 * Sends a verification mail. The token follows from the request's key and a secret, so that a step that
 * runs twice sends the same link twice and never two different ones. Returns false when nothing is left to verify.
 */
export const sendVerification = async (
  ctx: Ctx<"mail">,
  input: { userId: UserId; requestKey: string },
): Promise<boolean> => {
  const [user] = await ctx.db.select().from(users).where(eq(users.id, input.userId));
  if (!user || user.emailVerifiedAt) return false;
  const token = signText(ctx.settings.tokenSecret, `verify:${user.id}:${user.emailKey}:${input.requestKey}`);
  await ctx.db
    .insert(emailVerifications)
    .values({
      tokenHash: sha256(token),
      userId: user.id,
      emailKey: user.emailKey,
      createdAt: ctx.now(),
      expiresAt: addMs(ctx.now(), VERIFICATION_LIFE_MS),
    })
    .onConflictDoNothing();
  const { appUrl, productName } = ctx.settings;
  const link = `${appUrl}/verify-email/${token}`;
  await send(ctx, {
    to: user.email,
    subject: `Confirm your email for ${productName}`,
    uniqueKey: `verification-${sha256(token).slice(0, 32)}`,
    text: `Hello ${user.firstName},\n\nplease confirm that this is your address:\n${link}\n\nThe link works for 48 hours. If you did not register at ${productName}, you can ignore this mail.\n`,
    html: verificationHtml(user.firstName, productName, link),
  });
  return true;
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const verificationHtml = (firstName: string, productName: string, link: string): string => `<!doctype html>
<html lang="en"><body style="margin:0;background:#faf7f1;color:#19251e;font:16px/1.6 Georgia,serif">
<div style="max-width:480px;margin:0 auto;padding:40px 24px">
<p style="font-size:22px;margin:0 0 24px;color:#1c543a">${escapeHtml(productName)}</p>
<p>Hello ${escapeHtml(firstName)},</p><p>please confirm that this is your address.</p>
<p style="margin:28px 0"><a href="${escapeHtml(link)}" style="background:#1c543a;color:#fefdf9;text-decoration:none;padding:13px 22px;border-radius:9px;font-family:sans-serif;font-size:15px">Confirm my email</a></p>
<p style="color:#63685e;font-size:14px">The link works for 48 hours. If you did not register at ${escapeHtml(productName)}, you can ignore this mail.</p>
</div></body></html>`;
