import "server-only";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import type { AccountId, PinId, UserId } from "#lib/core/ids.ts";
import { requestChecks } from "#lib/features/links/request-checks.ts";

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
  /** How the picture looks, as `describePicture` says; null when the picture is gone. */
  likeness: string | null;
  placeholder: string | null;
}

/**
 * Writes a draft and asks for a check of its link (R-TRK-15). Belongs into the caller's transaction, which sees to it
 * that it happens once; afterwards the caller has the check announced.
 */
export const createDraft = async (tx: Ctx, draft: NewDraft): Promise<PinId> => {
  const id = tx.newId("pin");
  const now = tx.now();
  await tx.db.insert(pins).values({ ...draft, id, status: "draft", createdAt: now, updatedAt: now });
  await requestChecks(tx, { links: [draft.link] });
  return id;
};
