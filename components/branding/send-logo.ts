import { describeFailure } from "#lib/client/api.ts";
import { upload } from "#lib/client/upload.ts";
import { LOGO_BYTES_MAX, LOGO_PART, TEXTS } from "#lib/features/branding/constants.ts";
import type { KitWire } from "#lib/features/branding/schema.ts";

export type LogoOutcome = { kind: "kept"; kit: KitWire } | { kind: "refused"; text: string };

const UNREACHABLE = "The logo could not be sent. Please try again.";

/** Sends a file as the logo of an account. What it is, the server tells by its content. */
export const sendLogo = async (accountId: string, file: File): Promise<LogoOutcome> => {
  if (file.size > LOGO_BYTES_MAX) return { kind: "refused", text: TEXTS.logoTooLarge };
  const form = new FormData();
  form.set(LOGO_PART, file);
  const path = `/api/users/pinterest/brand/${accountId}/logo/`;
  try {
    const options = { headers: {}, onSent: () => undefined, signal: new AbortController().signal };
    return { kind: "kept", kit: await upload<KitWire>(path, form, options) };
  } catch (error) {
    return { kind: "refused", text: describeFailure(error, UNREACHABLE) };
  }
};
