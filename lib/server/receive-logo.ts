import "server-only";
import type { Ctx } from "#lib/context.ts";
import { LOGO_BYTES_MAX, LOGO_PART, TEXTS } from "#lib/features/branding/constants.ts";
import { subjectOf } from "./door.ts";
import type { Received } from "./route.ts";
import { receiveUpload, type UploadRules } from "./upload.ts";

const RULES: UploadRules = {
  isFile: (name) => name === LOGO_PART,
  fileBytesMax: LOGO_BYTES_MAX,
  filesMax: 1,
  totalBytesMax: 2 * LOGO_BYTES_MAX,
  tooLargeText: TEXTS.logoTooLarge,
};

/** Receives the one image of a multipart body. */
export const receiveLogo = async (request: Request, { actor }: Ctx): Promise<Received> => {
  const { files, discard } = await receiveUpload(request, RULES, subjectOf(actor));
  return { input: { logo: files.get(LOGO_PART) }, discard };
};
