import { Secret, TOTP } from "otpauth";

/** The code that an authenticator app shows at this time. */
export const appCodeAt = (secret: string, at: Date): string =>
  new TOTP({ secret: Secret.fromBase32(secret.replaceAll(" ", "")) }).generate({ timestamp: at.getTime() });
