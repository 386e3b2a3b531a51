import "server-only";
import type { users } from "#db/schema/identity.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { recordSecurityEvent } from "#lib/features/identity/security-log.ts";
import { exportedImageUrl, exportedVideoUrl } from "#lib/features/pins/image-urls.ts";
import { toExportedPayment, toExportedPurchase, toExportedSubscription } from "./exported-payments.ts";
import { toExportedEndpoint, toExportedWebhookMessage } from "./exported-webhooks.ts";
import {
  findAccounts,
  findApiKeys,
  findAuthenticators,
  findBrandKits,
  findBrandVoices,
  findEmailChanges,
  findExternalLogins,
  findGroups,
  findImageRights,
  findImports,
  findKeywordLists,
  findLogins,
  findMessages,
  findPaces,
  findPasskeys,
  findPayments,
  findPins,
  findPlanOverrides,
  findPurchases,
  findSecurityEvents,
  findSiteWatches,
  findSubscriptions,
  findTransfers,
  findVideos,
  findWebhookEndpoints,
  findWebhookMessages,
  type RowOf,
} from "./queries.ts";

type Read<R> = (afterId: string) => PromiseLike<R[]>;

/** Reads lazily, page by page. */
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
  return [
    ["logins", listOf((after) => findLogins(ctx, userId, after), toExportedLogin)],
    ["two_step_sign_in", listOf((after) => findAuthenticators(ctx, userId, after), toExportedAuthenticator)],
    ["google_accounts", listOf((after) => findExternalLogins(ctx, userId, after), toExportedExternalLogin)],
    ["passkeys", listOf((after) => findPasskeys(ctx, userId, after), toExportedPasskey)],
    ["api_keys", listOf((after) => findApiKeys(ctx, userId, after), toExportedApiKey)],
    ["security_activity", listOf((after) => findSecurityEvents(ctx, userId, after), toExportedSecurityEvent)],
    ["email_changes", listOf((after) => findEmailChanges(ctx, userId, after), toExportedEmailChange)],
    ["pinterest_accounts", listOf((after) => findAccounts(ctx, userId, after), toExportedAccount)],
    [
      "brand_kits",
      listOf(
        (after) => findBrandKits(ctx, userId, after),
        (kit) => toExportedBrandKit(ctx, kit),
      ),
    ],
    ["brand_voices", listOf((after) => findBrandVoices(ctx, userId, after), toExportedBrandVoice)],
    ["paces", listOf((after) => findPaces(ctx, userId, after), toExportedPace)],
    ["plan_overrides", listOf((after) => findPlanOverrides(ctx, userId, after), toExportedPlanOverride)],
    ["generations", listOf((after) => findGroups(ctx, userId, after), toExportedGroup)],
    [
      "pins",
      listOf(
        (after) => findPins(ctx, userId, after),
        (pin) => toExportedPin(ctx, pin),
      ),
    ],
    ["spreadsheet_imports", listOf((after) => findImports(ctx, userId, after), toExportedImport)],
    ["keyword_lists", listOf((after) => findKeywordLists(ctx, userId, after), toExportedKeywordList)],
    ["watched_sites", listOf((after) => findSiteWatches(ctx, userId, after), toExportedWatch)],
    ["image_rights", listOf((after) => findImageRights(ctx, userId, after), toExportedRight)],
    ["webhooks", listOf((after) => findWebhookEndpoints(ctx, userId, after), toExportedEndpoint)],
    ["webhook_messages", listOf((after) => findWebhookMessages(ctx, userId, after), toExportedWebhookMessage)],
    ["saved_videos", listOf((after) => findVideos(ctx, userId, after), toExportedVideo)],
    ["subscriptions", listOf((after) => findSubscriptions(ctx, userId, after), toExportedSubscription)],
    ["purchases_begun", listOf((after) => findPurchases(ctx, userId, after), toExportedPurchase)],
    ["payments", listOf((after) => findPayments(ctx, userId, after), toExportedPayment)],
    ["credit_entries", listOf((after) => findTransfers(ctx, userId, after), toExportedTransfer)],
    [
      "messages_to_support",
      // An unverified address may belong to another person, and so may its messages.
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

/** No passwords, tokens or hashes. Not a snapshot. @throws AppError `unauthenticated` before the first chunk */
export const exportData = async (ctx: Ctx): Promise<AsyncGenerator<string>> => {
  const userId = requireUserId(ctx);
  const user = await findUser(ctx, userId);
  if (!user) throw new AppError("unauthenticated");
  await inTransaction(ctx, (tx) => recordSecurityEvent(tx, { userId, kind: "data_exported" }));
  const balance = await findBalance(ctx, userId);
  const head = {
    exported_at: toIso(ctx.now()),
    product: ctx.settings.productName,
    user: toExportedUser(user),
    credits: { allowance: balance?.allowance ?? 0, purchased: balance?.purchased ?? 0, held: balance?.held ?? 0 },
  };
  return write(ctx, userId, head, user.emailVerifiedAt ? user.emailKey : null);
};

// Exported columns are listed one by one, so that a new column with a secret is not exported by accident.

const toExportedUser = (user: typeof users.$inferSelect) => ({
  id: user.id,
  first_name: user.firstName,
  last_name: user.lastName,
  username: user.username,
  email: user.email,
  email_verified_at: toIsoOrNull(user.emailVerifiedAt),
  plan: user.plan,
  plan_ends_at: toIsoOrNull(user.planEndsAt),
  time_zone: user.timeZone,
  chosen_time_zone: user.chosenTimeZone,
  mails_switched_off: user.mutedEmails,
  created_at: toIso(user.createdAt),
});

const toExportedLogin = (login: RowOf<typeof findLogins>) => ({
  device: login.device,
  created_at: toIso(login.createdAt),
  last_used_at: toIsoOrNull(login.lastUsedAt),
  expires_at: toIso(login.expiresAt),
  ended_at: toIsoOrNull(login.revokedAt),
});

const toExportedAuthenticator = (row: RowOf<typeof findAuthenticators>) => ({ on_since: toIsoOrNull(row.confirmedAt) });

const toExportedExternalLogin = (row: RowOf<typeof findExternalLogins>) => ({
  google_user_id: row.id,
  email: row.email,
  connected_at: toIso(row.createdAt),
});

const toExportedPasskey = (passkey: RowOf<typeof findPasskeys>) => ({
  name: passkey.name,
  created_at: toIso(passkey.createdAt),
  last_used_at: toIsoOrNull(passkey.lastUsedAt),
});

const toExportedApiKey = (key: RowOf<typeof findApiKeys>) => ({
  ...{ name: key.name, is_app: key.clientId !== null, scopes: key.scopes, secret_start: key.secretStart },
  created_at: toIso(key.createdAt),
  daily_credits: key.dailyCredits,
  expires_at: toIsoOrNull(key.expiresAt),
  revoked_at: toIsoOrNull(key.revokedAt),
  last_used_at: toIsoOrNull(key.lastUsedAt),
  uses: key.uses,
});

const toExportedSecurityEvent = (event: RowOf<typeof findSecurityEvents>) => ({
  kind: event.kind,
  device: event.device,
  network: event.network,
  detail: event.detail,
  at: toIso(event.createdAt),
});

const toExportedEmailChange = (change: RowOf<typeof findEmailChanges>) => ({
  new_email: change.email,
  asked_at: toIso(change.createdAt),
  expires_at: toIso(change.expiresAt),
  ended_at: toIsoOrNull(change.endedAt),
});

const toExportedAccount = (account: RowOf<typeof findAccounts>) => ({
  id: account.id,
  pinterest_user_id: account.pinterestUserId,
  username: account.username,
  status: account.status,
  granted_scopes: account.scopes,
  time_zone: account.timeZone,
  posting_slots: account.slots,
  import_columns: account.importColumns,
  connected_at: toIso(account.connectedAt),
  removed_at: toIsoOrNull(account.removedAt),
});

type Group = RowOf<typeof findGroups>;

const toExportedTask = (task: Group["tasks"][number]) => ({
  id: task.id,
  keyword: task.keyword,
  url: task.url,
  image: task.imageSource,
  cost_credits: task.costCredits,
  status: task.status,
  title: task.title,
  description: task.description,
  reason: task.reason,
  page: task.page,
  pin_id: task.pinId,
  created_at: toIso(task.createdAt),
  finished_at: toIsoOrNull(task.finishedAt),
});

const imageLink = (ctx: Ctx, imageKey: string): string => exportedImageUrl(ctx, { imageKey, status: "draft" });

const toExportedBrandKit = (ctx: Ctx, kit: RowOf<typeof findBrandKits>) => ({
  ...{ account_id: kit.accountId, colours: kit.colors, font_pairing: kit.fontPairing },
  ...{ logo_url: kit.logoKey && imageLink(ctx, kit.logoKey), updated_at: toIso(kit.updatedAt) },
});

const toExportedBrandVoice = (voice: RowOf<typeof findBrandVoices>) => ({
  ...{ account_id: voice.accountId, about: voice.about, language: voice.language },
  ...{ words_to_use: voice.wordsToUse, words_to_avoid: voice.wordsToAvoid },
  ...{ has_emoji: voice.hasEmoji, has_hashtags: voice.hasHashtags, updated_at: toIso(voice.updatedAt) },
  ...{ own_styles: voice.ownStyles, own_style: voice.ownStyle },
  ...{ image_style: voice.imageStyle, image_about: voice.imageAbout, has_brand_colors: voice.hasBrandColors },
});

const toExportedPace = (pace: RowOf<typeof findPaces>) => ({
  account_id: pace.accountId,
  numbers: pace.numbers,
  updated_at: toIso(pace.updatedAt),
});

const toExportedPlanOverride = (override: RowOf<typeof findPlanOverrides>) => ({
  account_id: override.accountId,
  rule_left_out: override.rule,
  reason: override.reason,
  at: toIso(override.createdAt),
});

const toExportedGroup = (group: Group) => ({
  id: group.id,
  account_id: group.accountId,
  board_id: group.boardId,
  board_section_id: group.boardSectionId,
  quality: group.quality,
  unreadable_page: group.unreadPage,
  created_at: toIso(group.createdAt),
  finished_at: toIsoOrNull(group.finishedAt),
  tasks: group.tasks.map(toExportedTask),
});

type Pin = RowOf<typeof findPins>;

const toExportedAttempt = (attempt: Pin["attempts"][number]) => ({
  number: attempt.number,
  outcome: attempt.outcome,
  called_at: toIsoOrNull(attempt.calledAt),
  answered_at: toIsoOrNull(attempt.answeredAt),
  settled_at: toIsoOrNull(attempt.settledAt),
  problem: attempt.problemText,
  pinterest_pin_id: attempt.pinterestPinId,
});

const toExportedPin = (ctx: Ctx, pin: Pin) => ({
  id: pin.id,
  account_id: pin.accountId,
  board_id: pin.boardId,
  board_section_id: pin.boardSectionId,
  source: pin.source,
  format: pin.format,
  title: pin.title,
  description: pin.description,
  alt_text: pin.altText,
  link: pin.link,
  keyword: pin.keyword,
  ...{ image_url: exportedImageUrl(ctx, pin), template: pin.template },
  image_without_template_url: pin.baseImageKey && imageLink(ctx, pin.baseImageKey),
  video: pin.video && { url: exportedVideoUrl(ctx, pin.video.videoKey), duration_ms: pin.video.durationMs },
  slides: pin.slides.map(({ pinId: _, imageKey, ...slide }) => ({ ...slide, image_url: imageLink(ctx, imageKey) })),
  status: pin.status,
  reason: pin.reason,
  chosen_at: toIsoOrNull(pin.chosenAt),
  scheduled_at: toIsoOrNull(pin.scheduledAt),
  published_at: toIsoOrNull(pin.publishedAt),
  pinterest_pin_id: pin.pinterestPinId,
  created_at: toIso(pin.createdAt),
  receipt: pin.attempts.map(toExportedAttempt),
});

const toExportedImport = (one: RowOf<typeof findImports>) => ({
  id: one.id,
  account_id: one.accountId,
  status: one.status,
  file_name: one.fileName,
  headers: one.headers,
  drafts: one.drafts,
  scheduled: one.scheduled,
  created_at: toIso(one.createdAt),
  rows: one.rows.map(({ number, cells, fixes }) => ({ number, cells, changes: fixes })),
});

const toExportedKeywordList = (list: RowOf<typeof findKeywordLists>) => ({
  id: list.id,
  name: list.name,
  created_at: toIso(list.createdAt),
  keywords: list.keywords.map(({ keyword, savedOn }) => ({ keyword, saved_on: savedOn })),
});

const toExportedWatch = (watch: RowOf<typeof findSiteWatches>) => ({
  ...{ id: watch.id, address: watch.address, name: watch.name },
  ...{ watched_since: toIso(watch.createdAt), last_read_at: toIso(watch.checkedAt) },
  new_pages: watch.proposals.map(({ url, title, keyword, foundAt }) => ({
    url,
    title,
    keyword,
    found_at: toIso(foundAt),
  })),
});

const toExportedRight = ({ id, confirmedAt }: RowOf<typeof findImageRights>) => ({
  site: id,
  confirmed_at: toIso(confirmedAt),
});

const toExportedVideo = (video: RowOf<typeof findVideos>) => ({
  id: video.id,
  video_url: video.videoUrl,
  title: video.title,
  description: video.description,
  author: video.author,
  author_url: video.authorUrl,
  thumbnail_url: video.thumbnailUrl,
  views_count: video.viewsCount,
  likes_count: video.likesCount,
  date_posted: video.datePosted,
  uploaded_at: toIsoOrNull(video.uploadedAt),
  duration_seconds: video.durationSeconds,
  hashtags: video.hashtags,
  tags: video.tags,
  notes: video.notes,
  created_at: toIso(video.createdAt),
});

const toExportedTransfer = (transfer: RowOf<typeof findTransfers>) => ({
  id: transfer.id,
  kind: transfer.kind,
  note: transfer.note,
  created_at: toIso(transfer.createdAt),
  credits: Object.fromEntries(transfer.lines.map(({ account, credits }) => [account, credits])),
});

const toExportedMessage = (message: RowOf<typeof findMessages>) => ({
  name: message.name,
  email: message.email,
  subject: message.subject,
  message: message.message,
  sent_at: toIso(message.createdAt),
});
