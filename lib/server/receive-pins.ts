import "server-only";
import type { FullCtx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import {
  BULK_BYTES_MAX,
  BULK_MAX,
  IDEMPOTENCY_HEADER,
  PICTURE_BYTES_MAX,
  TEXTS,
} from "#lib/features/pins/constants.ts";
import { keepArrived } from "#lib/features/pins/uploads.ts";
import { subjectOf } from "./door.ts";
import type { Received } from "./route.ts";
import { receiveUpload, type UploadRules } from "./upload.ts";

const RULES: UploadRules = {
  isFile: (name) => /^pins\[\d{1,9}\]\[image\]$/.test(name),
  fileBytesMax: PICTURE_BYTES_MAX,
  filesMax: BULK_MAX,
  totalBytesMax: BULK_BYTES_MAX,
  tooLargeText: TEXTS.pictureTooLarge,
};

/** Receives pins that were made by hand, with their images, as R-BULK-08 sends them. */
export const receivePins = async (request: Request, ctx: FullCtx): Promise<Received> => {
  const { fields, files, discard } = await receiveUpload(request, RULES, subjectOf(ctx.actor), {
    keep: (file, texts) => keepArrived(ctx, { accountId: texts.get("pinterest_account"), file }),
    onError: (error) => ctx.log.set({ keep_problem: messageOf(error) }),
  });
  const idempotencyKey = request.headers.get(IDEMPOTENCY_HEADER);
  const input = { fields: Object.fromEntries(fields), files: Object.fromEntries(files), idempotencyKey };
  return { input, discard };
};
