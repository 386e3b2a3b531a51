import { AppError } from "./errors.ts";
import type { UserId } from "./ids.ts";

interface HasActor {
  actor: { kind: "user"; userId: UserId } | { kind: "visitor" } | { kind: "webhook" } | { kind: "job" };
}

/** The user who asks. @throws AppError `unauthenticated` for anybody else. */
export const requireUserId = (ctx: HasActor): UserId => {
  if (ctx.actor.kind !== "user") throw new AppError("unauthenticated");
  return ctx.actor.userId;
};
