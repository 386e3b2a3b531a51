import { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { route } from "#lib/server/route.ts";

const input = z.object({
  key: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9._-]*$/))
    .min(1)
    .max(4),
});

const readImage = async (ctx: FullCtx, { key }: z.output<typeof input>) => {
  const bytes = await ctx.storage.get(key.join("/"));
  if (!bytes) throw new AppError("not_found");
  return bytes;
};

/** A stored picture. Its key is unguessable and never used for other bytes, so caches may keep it for ever. */
export const GET = route({
  auth: "none",
  input,
  run: readImage,
  respond: (bytes) =>
    new Response(bytes, {
      headers: {
        "content-type": "image/jpeg",
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
      },
    }),
});
