import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";

/** A picture that a row names. @throws AppError `internal` when it is lost. */
export const readStored = async (ctx: Ctx<"storage">, key: string): Promise<Uint8Array> => {
  const bytes = await ctx.storage.get(key);
  if (!bytes) throw new AppError("internal", { cause: new Error("A picture of a pin is not in the storage.") });
  return bytes;
};
