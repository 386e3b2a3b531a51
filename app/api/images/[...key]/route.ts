import { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { answersOnly } from "#lib/server/refuse.ts";
import { route } from "#lib/server/route.ts";

const input = z.object({ key: z.array(z.string()) });

/** Folders have no dot and pictures end in `.jpg`, so that no key asks for a folder, or for something below a picture. */
const PICTURE = /^([a-z0-9][a-z0-9_-]{0,60}\/){1,3}[a-z0-9][a-z0-9_-]{0,80}\.jpg$/;

const readImage = async (ctx: FullCtx, input: { key: string[] }) => {
  const key = input.key.join("/");
  const bytes = PICTURE.test(key) && (await ctx.storage.get(key));
  if (!bytes) throw new AppError("not_found");
  return bytes;
};

/** A stored picture. Its key is unguessable and never used for other bytes, so caches may keep it for ever. */
export const GET = route({
  auth: "visitor",
  limit: "images",
  input,
  run: readImage,
  respond: (bytes) =>
    new Response(bytes, {
      headers: {
        "content-type": "image/jpeg",
        "cache-control": "public, max-age=31536000, immutable",
      },
    }),
});

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
