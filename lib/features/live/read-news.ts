import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { NEWS_MAX } from "./constants.ts";
import { toLiveData } from "./present.ts";
import { findChanges } from "./queries.ts";
import type { LiveNews } from "./schema.ts";

/**
 * What is new for a user: each thing once, in order; or that it is too much to tell one by one. `through` is the last
 * event that was read, whether or not there is something to tell of it.
 */
export type News = { kind: "news"; news: LiveNews[]; through: number } | { kind: "too_much" };

/**
 * What changed for a user after an event, each thing as it is now. Things that are gone are left out; their end has an
 * event of its own. One query.
 */
export const readNews = async (
  ctx: Ctx<"pinterest">,
  { userId, after }: { userId: UserId; after: number },
): Promise<News> => {
  const changes = await findChanges(ctx, userId, after, NEWS_MAX + 1);
  if (changes.length > NEWS_MAX || changes.some(({ kind }) => kind === "reset")) return { kind: "too_much" };
  const news = changes.flatMap((change) => {
    const data = toLiveData(ctx, change);
    // `data` was presented for this very kind; the union forgets that.
    return data === null ? [] : [{ id: change.id, kind: change.kind, data } as LiveNews];
  });
  return { kind: "news", news, through: changes.at(-1)?.id ?? after };
};
