import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { UploadedFile } from "#lib/core/uploaded-file.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { keepPictures } from "./keep-pictures.ts";

/**
 * Keeps the picture of a file that came whole before its upload broke off, for its sender alone: the next try need not
 * bring it again (R-BULK-08). What is no picture is left out, and told when it is sent again; so is what was meant for
 * an account that is not the actor's, or that had not been named yet.
 */
export const keepArrived = async (
  ctx: Ctx<"pictures" | "storage">,
  { accountId, file }: { accountId: string | undefined; file: UploadedFile },
): Promise<void> => {
  const accounts = await findOwnedAccounts(ctx);
  if (!accounts.some(({ id }) => id === accountId)) return;
  const read = async () => {
    const prepared = await ctx.pictures.prepareUpload(file.path);
    return prepared.kind === "refused" ? null : prepared;
  };
  await keepPictures(ctx, { pictures: [{ sha256: file.sha256, read }] });
};
