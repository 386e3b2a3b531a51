import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { toIso } from "#lib/core/time.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import {
  toExportedAccount,
  toExportedBrandKit,
  toExportedEmailChange,
  toExportedGroup,
  toExportedLogin,
  toExportedMessage,
  toExportedPayment,
  toExportedPin,
  toExportedPurchase,
  toExportedSubscription,
  toExportedTransfer,
  toExportedUser,
  toExportedVideo,
} from "./present.ts";
import {
  findAccounts,
  findBrandKits,
  findEmailChanges,
  findGroups,
  findLogins,
  findMessages,
  findPayments,
  findPins,
  findPurchases,
  findSubscriptions,
  findTransfers,
  findVideos,
} from "./queries.ts";

type Read<R> = (afterId: string) => PromiseLike<R[]>;

/** The rows of a list as JSON, page by page; nothing is read before it is asked for. */
async function* listOf<R extends { id: string }>(read: Read<R>, present: (row: R) => unknown): AsyncGenerator<string> {
  let afterId = "";
  let separator = "";
  yield "[";
  for (let page = await read(afterId); page.length > 0; page = await read(afterId)) {
    yield page
      .map((row) => {
        const text = `${separator}\n    ${JSON.stringify(present(row))}`;
        separator = ",";
        return text;
      })
      .join("");
    afterId = page.at(-1)?.id ?? afterId;
  }
  yield "\n  ]";
}

const listsOf = (ctx: Ctx, userId: UserId, ownEmailKey: string | null): [string, AsyncGenerator<string>][] => {
  const { appUrl } = ctx.settings;
  return [
    ["logins", listOf((after) => findLogins(ctx, userId, after), toExportedLogin)],
    ["email_changes", listOf((after) => findEmailChanges(ctx, userId, after), toExportedEmailChange)],
    ["pinterest_accounts", listOf((after) => findAccounts(ctx, userId, after), toExportedAccount)],
    [
      "brand_kits",
      listOf(
        (after) => findBrandKits(ctx, userId, after),
        (kit) => toExportedBrandKit(kit, appUrl),
      ),
    ],
    ["generations", listOf((after) => findGroups(ctx, userId, after), toExportedGroup)],
    [
      "pins",
      listOf(
        (after) => findPins(ctx, userId, after),
        (pin) => toExportedPin(pin, appUrl),
      ),
    ],
    ["saved_videos", listOf((after) => findVideos(ctx, userId, after), toExportedVideo)],
    ["subscriptions", listOf((after) => findSubscriptions(ctx, userId, after), toExportedSubscription)],
    ["purchases_begun", listOf((after) => findPurchases(ctx, userId, after), toExportedPurchase)],
    ["payments", listOf((after) => findPayments(ctx, userId, after), toExportedPayment)],
    ["credit_entries", listOf((after) => findTransfers(ctx, userId, after), toExportedTransfer)],
    [
      "messages_to_support",
      // An address that was not confirmed may be somebody else's, and so may what was written from it.
      listOf(async (after) => (ownEmailKey === null ? [] : findMessages(ctx, ownEmailKey, after)), toExportedMessage),
    ],
  ];
};

async function* write(ctx: Ctx, userId: UserId, head: Record<string, unknown>, ownEmailKey: string | null) {
  yield JSON.stringify(head, null, 2).slice(0, -2);
  for (const [name, list] of listsOf(ctx, userId, ownEmailKey)) {
    yield `,\n  ${JSON.stringify(name)}: `;
    yield* list;
  }
  yield "\n}\n";
}

/**
 * All that the actor owns here as one JSON document, in pieces: person, logins, changes of address, accounts, pins with
 * receipts, saved videos, subscriptions, payments, credits, messages. No passwords, tokens or hashes. Read page by page while it is sent,
 * so neither memory nor a transaction grows with it; what changes meanwhile may or may not be in it.
 * @throws AppError `unauthenticated` before the first piece.
 */
export const exportData = async (ctx: Ctx): Promise<AsyncGenerator<string>> => {
  const userId = requireUserId(ctx);
  const user = await findUser(ctx, userId);
  if (!user) throw new AppError("unauthenticated");
  const balance = await findBalance(ctx, userId);
  const head = {
    exported_at: toIso(ctx.now()),
    product: ctx.settings.productName,
    user: toExportedUser(user),
    credits: { allowance: balance?.allowance ?? 0, purchased: balance?.purchased ?? 0, held: balance?.held ?? 0 },
  };
  return write(ctx, userId, head, user.emailVerifiedAt ? user.emailKey : null);
};
