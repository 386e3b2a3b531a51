import type { PostStatus } from "./constants.ts";

/** Where a page of posts ended: posts are ordered by creation, then id, newest first. */
export interface PostPosition {
  createdAt: Date;
  id: string;
}

/** An opaque text for a position. */
export const encodeCursor = (at: PostPosition): string =>
  Buffer.from(`${at.createdAt.toISOString()} ${at.id}`, "utf8").toString("base64url");

/** The position of a cursor that we gave out, else null. */
export const decodeCursor = (cursor: string): PostPosition | null => {
  const [time = "", id = ""] = Buffer.from(cursor, "base64url").toString("utf8").split(" ");
  const createdAt = new Date(time);
  return Number.isNaN(createdAt.getTime()) || !/^[a-z0-9_]{1,60}$/.test(id) ? null : { createdAt, id };
};

/** States in which a pin is its owner's alone: nothing is on its way to Pinterest. */
export const AT_REST = ["draft", "failed"] as const satisfies readonly PostStatus[];
