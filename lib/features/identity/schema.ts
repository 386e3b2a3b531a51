import { z } from "zod";
import type { securityEvents } from "#db/schema/identity.ts";
import { AppError } from "#lib/core/errors.ts";
import { isId, type UserId } from "#lib/core/ids.ts";
import { checkEmail } from "#lib/core/person.ts";
import { toStorable } from "#lib/core/text.ts";
import { MESSAGES } from "./messages.ts";
import {
  checkRegistration,
  meetsPasswordRules,
  PASSWORD_MAX,
  PASSWORD_RULES_TEXT,
  REGISTER_FIELDS,
  type RegisterValues,
} from "./policy.ts";

const text = z.preprocess((value) => (typeof value === "string" ? toStorable(value) : ""), z.string().max(10_000));

const registerShape = z.object(Object.fromEntries(REGISTER_FIELDS.map((field) => [field, text])));

/** @throws AppError `invalid` with `{field: [text]}` */
export const registerInput = registerShape.transform((raw) => {
  // Complete: the shape is built from REGISTER_FIELDS.
  const values = raw as RegisterValues;
  const errors = checkRegistration(values);
  const fields = Object.fromEntries(Object.entries(errors).map(([field, message]) => [field, [message]]));
  if (Object.keys(fields).length > 0) throw new AppError("invalid", { fields });
  return {
    firstName: values.first_name.trim(),
    lastName: values.last_name.trim(),
    username: values.username.trim(),
    email: values.email.trim(),
    password: values.password,
  };
});
export type RegisterInput = z.output<typeof registerInput>;

export const noInput = z.unknown().transform(() => undefined);

export const verifyEmailInput = z.object({ token: z.string().min(20).max(100) });
export type VerifyEmailInput = z.output<typeof verifyEmailInput>;

export const verificationRequested = z.object({
  userId: z.custom<UserId>((value) => isId("user", value)),
  requestKey: z.string().min(1).max(40),
});

const refuse = (field: string, text: string): never => {
  throw new AppError("invalid", { text, fields: { [field]: [text] } });
};

const email = (raw: string): string => {
  const value = raw.trim();
  const wrong = checkEmail(value);
  return wrong === undefined ? value : refuse("email", wrong);
};

const password = (raw: string): string => {
  if (!raw) return refuse("password", "Password is required");
  // No stored password is this long, so skip the hashing.
  return raw.length > PASSWORD_MAX ? refuse("password", MESSAGES.wrongPassword) : raw;
};

const newPassword = (raw: string, field: string): string =>
  meetsPasswordRules(raw) ? raw : refuse(field, PASSWORD_RULES_TEXT);

export const requestResetInput = z.object({ email: text }).transform((raw) => ({ email: email(raw.email) }));
export type RequestResetInput = z.output<typeof requestResetInput>;

/** Encrypted because the engine stores its events. */
export const resetRequested = z.object({ sealedEmail: z.string().min(1), requestKey: z.string().min(1).max(40) });
export type ResetRequested = z.output<typeof resetRequested>;

export const resetPasswordInput = z
  .object({ token: text, new_password: text })
  .transform((raw) => ({ token: raw.token, newPassword: newPassword(raw.new_password, "new_password") }));
export type ResetPasswordInput = z.output<typeof resetPasswordInput>;

export const changePasswordInput = z
  .object({ newPassword: text })
  .transform((raw) => ({ newPassword: newPassword(raw.newPassword, "newPassword") }));
export type ChangePasswordInput = z.output<typeof changePasswordInput>;

export const requestEmailChangeInput = z.object({ email: text }).transform((raw) => ({ email: email(raw.email) }));
export type RequestEmailChangeInput = z.output<typeof requestEmailChangeInput>;

export const confirmEmailChangeInput = z.object({ token: z.string().min(20).max(100) });
export type ConfirmEmailChangeInput = z.output<typeof confirmEmailChangeInput>;

export const passwordInput = z.object({ password: text }).transform((raw) => ({ password: password(raw.password) }));
export type PasswordInput = z.output<typeof passwordInput>;

export const endLoginInput = z.object({ loginId: z.string().min(1).max(100) });
export type EndLoginInput = z.output<typeof endLoginInput>;

export const timeZoneInput = z.object({ timeZone: z.string().min(1).max(64) });
export const chooseTimeZoneInput = z.object({ timeZone: timeZoneInput.shape.timeZone.nullable() });

export type SecurityEventKind = (typeof securityEvents.$inferSelect)["kind"];

export interface SecurityEvent {
  id: string;
  kind: SecurityEventKind;
  device: string;
  /** Empty when the address was unknown. */
  network: string;
  /** Depends on the kind: how the user signed in, the new email, the device that was signed out. */
  detail: string;
  createdAt: Date;
}

export interface UserWire {
  id: string;
  first_name: string;
  last_name: string;
  email: string;
  username: string;
  email_verified: boolean;
  plan: string;
}
