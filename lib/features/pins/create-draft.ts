import "server-only";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import type { AccountId, PinId, UserId } from "#lib/core/ids.ts";

/** A pin to be. Texts keep Pinterest's limits already; the picture lies in the storage as a JPEG. */
export interface NewDraft {
  userId: UserId;
  accountId: AccountId;
  boardId: string;
  source: "ai" | "manual";
  title: string;
  description: string;
  altText: string;
  link: string | null;
  keyword: string | null;
  imageKey: string;
}

/** Writes a draft (R-TRK-15). Belongs into the caller's transaction, which sees to it that it happens once. */
export const createDraft = async (tx: Ctx, draft: NewDraft): Promise<PinId> => {
  const id = tx.newId("pin");
  const now = tx.now();
  await tx.db.insert(pins).values({ ...draft, id, status: "draft", createdAt: now, updatedAt: now });
  return id;
};
