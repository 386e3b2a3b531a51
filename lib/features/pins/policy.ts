import type { PostStatus } from "./constants.ts";

/** Where a page of posts ended: posts are ordered by creation, then id, newest first. */
export interface PostPosition {
  createdAt: Date;
  id: string;
}

/** An opaque text for a position. */
export const encodeCursor = (at: PostPosition): string => `${at.createdAt.getTime().toString(36)}.${at.id}`;

/** The position of a cursor that we gave out, else null. */
export const decodeCursor = (cursor: string): PostPosition | null => {
  const [, time, id] = /^([0-9a-z]{1,9})\.([a-z0-9_]{1,60})$/.exec(cursor) ?? [];
  return time && id ? { createdAt: new Date(Number.parseInt(time, 36)), id } : null;
};

/** States in which a pin is its owner's alone: nothing is on its way to Pinterest. */
export const AT_REST = ["draft", "failed"] as const satisfies readonly PostStatus[];
