import "server-only";
import type { users } from "#db/schema/identity.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import type {
  findAccounts,
  findEmailChanges,
  findGroups,
  findLogins,
  findMessages,
  findPins,
  findTransfers,
} from "./queries.ts";

type RowOf<F extends (...args: never[]) => PromiseLike<unknown[]>> = Awaited<ReturnType<F>>[number];

// What an export says of each row: named one by one, so that a new column with a secret in it stays out by itself.

export const toExportedUser = (user: typeof users.$inferSelect) => ({
  id: user.id,
  first_name: user.firstName,
  last_name: user.lastName,
  username: user.username,
  email: user.email,
  email_verified_at: toIsoOrNull(user.emailVerifiedAt),
  plan: user.plan,
  time_zone: user.timeZone,
  chosen_time_zone: user.chosenTimeZone,
  created_at: toIso(user.createdAt),
});

export const toExportedLogin = (login: RowOf<typeof findLogins>) => ({
  device: login.device,
  created_at: toIso(login.createdAt),
  last_used_at: toIsoOrNull(login.lastUsedAt),
  expires_at: toIso(login.expiresAt),
  ended_at: toIsoOrNull(login.revokedAt),
});

export const toExportedEmailChange = (change: RowOf<typeof findEmailChanges>) => ({
  new_email: change.email,
  asked_at: toIso(change.createdAt),
  expires_at: toIso(change.expiresAt),
  ended_at: toIsoOrNull(change.endedAt),
});

export const toExportedAccount = (account: RowOf<typeof findAccounts>) => ({
  id: account.id,
  pinterest_user_id: account.pinterestUserId,
  username: account.username,
  status: account.status,
  granted_scopes: account.scopes,
  connected_at: toIso(account.connectedAt),
  removed_at: toIsoOrNull(account.removedAt),
});

type Group = RowOf<typeof findGroups>;

const toExportedTask = (task: Group["tasks"][number]) => ({
  id: task.id,
  keyword: task.keyword,
  url: task.url,
  cost_credits: task.costCredits,
  status: task.status,
  title: task.title,
  description: task.description,
  reason: task.reason,
  pin_id: task.pinId,
  created_at: toIso(task.createdAt),
  finished_at: toIsoOrNull(task.finishedAt),
});

export const toExportedGroup = (group: Group) => ({
  id: group.id,
  account_id: group.accountId,
  board_id: group.boardId,
  quality: group.quality,
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

export const toExportedPin = (pin: Pin, appUrl: string) => ({
  id: pin.id,
  account_id: pin.accountId,
  board_id: pin.boardId,
  source: pin.source,
  title: pin.title,
  description: pin.description,
  alt_text: pin.altText,
  link: pin.link,
  keyword: pin.keyword,
  image_url: `${appUrl}/api/images/${pin.imageKey}`,
  status: pin.status,
  reason: pin.reason,
  chosen_at: toIsoOrNull(pin.chosenAt),
  scheduled_at: toIsoOrNull(pin.scheduledAt),
  published_at: toIsoOrNull(pin.publishedAt),
  pinterest_pin_id: pin.pinterestPinId,
  created_at: toIso(pin.createdAt),
  receipt: pin.attempts.map(toExportedAttempt),
});

export const toExportedTransfer = (transfer: RowOf<typeof findTransfers>) => ({
  id: transfer.id,
  kind: transfer.kind,
  note: transfer.note,
  created_at: toIso(transfer.createdAt),
  credits: Object.fromEntries(transfer.lines.map(({ account, credits }) => [account, credits])),
});

export const toExportedMessage = (message: RowOf<typeof findMessages>) => ({
  name: message.name,
  email: message.email,
  subject: message.subject,
  message: message.message,
  sent_at: toIso(message.createdAt),
});
