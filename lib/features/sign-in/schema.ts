import { z } from "zod";
import { AppError } from "#lib/core/errors.ts";
import { EMAIL_MAX } from "#lib/core/person.ts";
import { toStorable } from "#lib/core/text.ts";
import { PASSWORD_MAX } from "#lib/features/identity/policy.ts";
import { PASSKEY_NAME_MAX } from "./constants.ts";
import { checkAppCode, checkCode, plainCode } from "./policy.ts";

export const loginInput = z.object({
  email: z
    .string("Email is required")
    .transform(toStorable)
    .pipe(z.string().trim().min(1, "Email is required").max(EMAIL_MAX, "Email is too long")),
  password: z
    .string("Password is required")
    .transform(toStorable)
    .pipe(z.string().min(1, "Password is required").max(PASSWORD_MAX, "Password is too long")),
});
export type LoginInput = z.output<typeof loginInput>;

const code = (check: typeof checkCode) =>
  z
    .preprocess((value) => (typeof value === "string" ? value : ""), z.string().max(200))
    .transform((typed) => {
      const { code: text } = check({ code: typed });
      if (text !== undefined) throw new AppError("invalid", { text, fields: { code: [text] } });
      return plainCode(typed);
    });

const token = z.string().min(20).max(100);

/** The challenge comes in the body or in the cookie. */
export const verifyInput = z.object({ challenge: token.optional(), code: code(checkCode) });
export type VerifyInput = z.output<typeof verifyInput>;

export const codeInput = z.object({ code: code(checkCode) });
export type CodeInput = z.output<typeof codeInput>;

export const appCodeInput = z.object({ code: code(checkAppCode) });

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]*$/);

const credential = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal("public-key"),
  authenticatorAttachment: z.enum(["cross-platform", "platform"]).optional().catch(undefined),
  // We ask for no extensions that matter.
  clientExtensionResults: z.unknown().transform(() => ({})),
};

/** What the browser answers when a passkey is used (WebAuthn, AuthenticationResponseJSON). */
export const passkeyAnswerInput = z.object({
  token,
  response: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(8_000),
      authenticatorData: base64url(8_000),
      signature: base64url(8_000),
      userHandle: base64url(200).optional().catch(undefined),
    }),
  }),
});
export type PasskeyAnswer = z.output<typeof passkeyAnswerInput>;

const TRANSPORTS: readonly string[] = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"];

const passkeyName = z
  .string()
  .transform((typed) =>
    typed
      .toWellFormed()
      .replace(/[\p{Cc}\p{Cf}]/gu, " ")
      .trim(),
  )
  .pipe(z.string().min(1, "Enter a name").max(PASSKEY_NAME_MAX, `Use ${PASSKEY_NAME_MAX} characters at most`));

/** What the browser answers when a passkey is created (WebAuthn, RegistrationResponseJSON). */
export const addPasskeyInput = z.object({
  token,
  name: passkeyName,
  response: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(8_000),
      attestationObject: base64url(40_000),
      transports: z
        .array(z.string())
        .transform((names) => TRANSPORTS.filter((known) => names.includes(known)))
        .optional()
        .catch(undefined),
    }),
  }),
});
export type AddPasskeyInput = z.output<typeof addPasskeyInput>;

export const passkeyInput = z.object({ passkeyId: z.string().min(1).max(100) });
export type PasskeyInput = z.output<typeof passkeyInput>;

export const renamePasskeyInput = passkeyInput.extend({ name: passkeyName });
export type RenamePasskeyInput = z.output<typeof renamePasskeyInput>;

export const googleStartInput = z
  .object({ create: z.literal("1").optional().catch(undefined) })
  .transform(({ create }): GoogleStartInput => ({ next: null, mayCreate: create === "1" }));

export interface GoogleStartInput {
  next: string | null;
  /** Whether an unknown Google account gets a new user. */
  mayCreate: boolean;
}

/** What is kept between the redirects. */
export const googleRequest = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  next: z.string(),
  mayCreate: z.boolean(),
});

const QUERY_MAX = 4_000;

/** The query as it came: the client library checks its parts. */
export const googleCallbackInput = z
  .record(z.string().max(100), z.string().max(QUERY_MAX))
  .transform((query) => ({ search: `?${new URLSearchParams(query)}` }));

export interface GoogleCallbackInput {
  callbackUrl: URL;
  browserToken: string | null;
}
