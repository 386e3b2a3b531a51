import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { announceChecks } from "#lib/features/links/announce-checks.ts";
import { requestChecks } from "#lib/features/links/request-checks.ts";
import { TEXTS } from "./constants.ts";
import { toPost } from "./present.ts";
import { findPostsById, requireOwnedPin } from "./queries.ts";
import type { PinIdInput, PostWire } from "./schema.ts";

/**
 * Has the link of a pin looked at again, for an owner who mended the page (R-SRV-08). What was found less than
 * `AGAIN_MS` ago stands, and a look that is under way is the one asked for; either way the answer is the pin as it is.
 * @throws AppError `not_found`; `wrong_state` without a link and once it is published.
 */
export const recheckLink = async (ctx: Ctx<"pinterest" | "jobs">, { pinId }: PinIdInput): Promise<PostWire> => {
  const { pin, account } = await requireOwnedPin(ctx, pinId);
  if (pin.link === null) throw new AppError("wrong_state", { text: TEXTS.noLink });
  if (pin.status === "published") throw new AppError("wrong_state", { text: TEXTS.notCheckable });
  const links = [pin.link];
  await inTransaction(ctx, (tx) => requestChecks(tx, { links, isAgain: true }));
  await announceChecks(ctx, { links });
  const [post] = await findPostsById(ctx, [pin.id]);
  if (!post) throw new AppError("not_found");
  return toPost(ctx, post, account);
};
