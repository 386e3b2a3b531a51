import { FONT_PAIRINGS } from "#lib/core/images.ts";
import { PRESETS } from "#lib/features/planning/constants.ts";
import { passkeyAnswer } from "./surface-samples.ts";
import type { SurfaceUser } from "./surface-users.ts";

export interface ActionSpec {
  /** `owner`: the argument has ids. `form`: a form that works without scripts and needs no login. */
  access: "public" | "user" | "owner" | "form";
  /** A valid argument; for a form, its fields. */
  argument: (user: SurfaceUser) => unknown;
  /** Results of that argument: `ok`, or an error's code; `ok` by default. */
  own?: string[];
  isDestructive?: boolean;
  /** Where the page's parameter is a token that the action does not read. */
  page?: string;
}

const WRITING = { words: null, signature: "", hasLogo: false };
const COLORS = { panel: "#112233", words: "#ffffff", accent: "#445566" };
const NEW_PASSWORD = "Fresh-Moss-42!";
const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();

const owner = (argument: ActionSpec["argument"], own?: string[]): ActionSpec => ({
  access: "owner",
  argument,
  ...(own && { own }),
});
const user = (argument: ActionSpec["argument"], own?: string[]): ActionSpec => ({
  ...owner(argument, own),
  access: "user",
});
const form = (argument: ActionSpec["argument"]): ActionSpec => ({ access: "form", argument });
const destructive = (spec: ActionSpec): ActionSpec => ({ ...spec, isDestructive: true });
const byToken = (more: object, page: string): ActionSpec => ({
  access: "public",
  argument: () => ({ token: "t".repeat(43), ...more }),
  page,
});

const draft = ({ draftIds }: SurfaceUser) => ({ pinId: draftIds[0] ?? "" });
const drafts = ({ draftIds }: SurfaceUser) => ({ pinIds: draftIds });
const account = ({ accountId }: SurfaceUser) => ({ accountId });

const PINS: Record<string, ActionSpec> = {
  editDraftAction: owner((of) => ({ ...draft(of), title: "Moss", link: "https://example.com/" })),
  readPinAction: owner(draft),
  recheckLinkAction: owner((of) => ({ pinId: of.draftIds[1] ?? "" }), ["ok", "wrong_state"]),
  deleteDraftsAction: destructive(owner(drafts)),
  restoreDraftsAction: owner(drafts, ["ok", "not_found", "wrong_state"]),
  previewEditsAction: owner((of) => ({
    ...drafts(of),
    change: { link: "https://example.com/", utm: { source: "p" } },
  })),
  editDraftsAction: owner((of) => ({ ...drafts(of), change: { link: null, descriptionSuffix: "Moss" } })),
  undoEditsAction: owner(
    (of) => ({ editedAt: new Date().toISOString(), edits: [{ pinId: of.draftIds[0] ?? "", link: null }] }),
    ["ok", "wrong_state"],
  ),
  duplicatePinsAction: owner((of) => ({ ...drafts(of), boardIds: [of.boardId], idempotencyKey: `k${Math.random()}` })),
  findSavedUploadsAction: user(() => ({ digests: ["0".repeat(64)] })),
  recordReviewAction: owner((of) => ({ ...draft(of), review: "approved" })),
  listReviewedAction: owner((of) => ({ ...account(of), review: "approved" })),
};

const PUBLISHING: Record<string, ActionSpec> = {
  previewScheduleAction: owner(({ draftIds }) => ({ post_ids: draftIds, interval_minutes: 60, start: tomorrow() })),
  proposePlanAction: owner(({ draftIds }) => ({ post_ids: draftIds, left_out: ["link"], chosen: [] })),
  checkTimesAction: owner(({ draftIds }) => ({ slots: draftIds.map((post_id) => ({ post_id, due_at: tomorrow() })) })),
  applyPlanAction: destructive(
    owner(({ draftIds }) => ({
      planned_at: new Date().toISOString(),
      slots: draftIds.map((post_id) => ({ post_id, due_at: tomorrow() })),
      left_out: [{ rule: "gap", reason: "One launch" }],
    })),
  ),
  readPlanNotesAction: owner(draft),
  readPaceAction: owner(account),
  savePaceAction: owner((of) => ({ ...account(of), numbers: PRESETS.gentle })),
  reschedulePinAction: owner(({ scheduledId }) => ({ pinId: scheduledId, at: tomorrow() })),
  publishNowAction: destructive(owner(draft)),
  retryPinAction: destructive(owner(({ failedId }) => ({ pinId: failedId }))),
  countOverdueAction: owner(account),
  publishRestAction: destructive(owner(account)),
  findDisconnectedAccountsAction: user(() => null),
  requestSyncAction: owner(account),
  readVariantsAction: owner(account),
  createBoardAction: owner(({ accountId }) => ({ accountId, name: "Moss walls" })),
  createSectionAction: owner(({ accountId, boardId }) => ({ accountId, boardId, name: "Fall" })),
  // Without slots of its own it is `invalid`.
  planIntoSlotsAction: owner(
    ({ accountId, draftIds }) => ({
      accountId,
      pinIds: draftIds,
      timeZone: "UTC",
      firstDay: null,
      lastDay: null,
      spreadDays: null,
    }),
    ["ok", "invalid"],
  ),
  saveSlotsAction: owner(({ accountId }) => ({ accountId, slots: [{ weekday: 1, minute: 540 }] })),
  suggestSlotsAction: owner(({ accountId }) => ({ accountId, timeZone: "UTC" })),
  setAccountTimeZoneAction: owner(({ accountId }) => ({ accountId, timeZone: "Asia/Kathmandu" })),
};

const IMPORTS: Record<string, ActionSpec> = {
  readImportAction: owner(({ importId }) => ({ importId })),
  readProgressAction: owner(({ importId }) => ({ importId, numbers: [2] })),
  mapColumnsAction: owner(({ importId }) => ({ importId, mapping: { title: 0 } })),
  fixRowAction: owner(({ importId }) => ({ importId, number: 2, fixes: { title: "Moss" } })),
  chooseRowsAction: owner(({ importId }) => ({ importId, numbers: [2], isChosen: true })),
  setScheduledAction: owner(({ importId }) => ({ importId, isScheduled: false })),
  retryImagesAction: owner(({ importId }) => ({ importId })),
  createImportBoardAction: owner(({ importId }) => ({ importId, name: "Moss" })),
  // Nobody has seen this version.
  confirmImportAction: owner(({ importId }) => ({ importId, version: 0, timeZone: "UTC" }), ["wrong_state"]),
  cancelCreationAction: owner(({ importId }) => ({ importId }), ["wrong_state"]),
  discardImportAction: destructive(owner(({ importId }) => ({ importId }))),
};

const SITES: Record<string, ActionSpec> = {
  // The site doesn't exist.
  readSiteAction: user(() => ({ text: "https://moss.invalid/feed", search: "" }), ["refused"]),
  watchSiteAction: user(() => ({ text: "https://moss.invalid/feed" }), ["refused"]),
  unwatchSiteAction: destructive(owner(({ watchId }) => ({ watchId }))),
  dismissProposalsAction: destructive(owner(({ proposalId }) => ({ proposalIds: [proposalId] }))),
  listWatchesAction: user(() => null),
  countProposalsAction: user(() => null),
  confirmImageRightsAction: user(() => ({ urls: ["https://moss.example/a"] })),
};

const GENERATION: Record<string, ActionSpec> = {
  cancelGenerationAction: owner(({ groupId }) => ({ groupId })),
  regenerateImageAction: owner((of) => ({ ...draft(of), quality: "standard" })),
  undoRegenerationAction: owner(draft, ["ok", "wrong_state", "not_found"]),
  readRegenerationAction: owner(draft),
  readPinPageAction: owner(draft),
  previewTextAction: owner(({ accountId }) => ({ accountId, keyword: "Moss", url: "" })),
  suggestTextAction: owner((of) => ({ ...draft(of), part: "title", instead: "Moss" })),
  readBrandingAction: owner((of) => ({ ...account(of), ...drafts(of) })),
  saveVoiceAction: owner((of) => ({
    ...account(of),
    about: "Warm.",
    wordsToUse: ["cozy"],
    wordsToAvoid: [],
    language: null,
    hasEmoji: false,
    ...{ imageStyle: null, ownStyles: [], ownStyle: null, imageAbout: "", hasBrandColors: false },
    hasHashtags: true,
  })),
  saveKitAction: owner((of) => ({ ...account(of), colors: COLORS, fontPairing: FONT_PAIRINGS[0] })),
  removeLogoAction: owner(account),
  applyTemplateAction: owner((of) => ({ pinIds: [of.draftIds[2] ?? ""], template: "label", ...WRITING })),
  removeTemplateAction: owner((of) => ({ pinIds: [of.draftIds[2] ?? ""] })),
  previewTemplatesAction: owner((of) => ({
    ...account(of),
    pinId: of.draftIds[0] ?? "",
    templates: ["label"],
    ...WRITING,
  })),
};

const IDENTITY: Record<string, ActionSpec> = {
  setTimeZoneAction: user(() => ({ timeZone: "Europe/Lisbon" })),
  chooseTimeZoneAction: user(() => ({ timeZone: "Europe/Lisbon" })),
  confirmByPasswordAction: user(({ password }) => ({ password })),
  changePasswordAction: destructive(user(() => ({ newPassword: NEW_PASSWORD }))),
  // Not a text that contains the address: it is shown to its owner, and must not look like another user's.
  requestEmailChangeAction: destructive(user(({ email }) => ({ email: email.replace("@", "-new@") }))),
  setUpAuthenticatorAction: user(() => ({})),
  enableAuthenticatorAction: user(() => ({ code: "123456" }), ["invalid", "wrong_state"]),
  disableAuthenticatorAction: user(() => null, ["ok", "wrong_state"]),
  createRecoveryCodesAction: user(() => null, ["ok", "wrong_state"]),
  requestNewPasskeyAction: user(() => ({})),
  createApiKeyAction: user(() => ({ name: "Script", scopes: ["pins:read"], dailyCredits: 50, lifetimeDays: 30 })),
  rotateApiKeyAction: owner(({ keyId }) => ({ keyId })),
  revokeApiKeyAction: destructive(owner(({ keyId }) => ({ keyId }))),
  approveAppAction: user(() => ({ query: {}, scopes: ["pins:read"], dailyCredits: 5 }), ["invalid"]),
  addPasskeyAction: user(() => ({ ...passkeyAnswer(), name: "Phone" }), ["wrong_state"]),
  renamePasskeyAction: owner(({ passkeyId }) => ({ passkeyId, name: "Phone" })),
  removePasskeyAction: destructive(owner(({ passkeyId }) => ({ passkeyId }))),
  confirmWithCodeAction: user(() => ({ code: "123456" }), ["invalid"]),
  requestPasskeyConfirmationAction: user(() => ({})),
  confirmWithPasskeyAction: user(() => passkeyAnswer(), ["invalid"]),
  beginGoogleLinkAction: user(() => ({})),
  unlinkGoogleAction: user(() => null, ["wrong_state"]),
  cancelEmailChangeAction: user(() => null),
  endLoginAction: destructive(owner(({ loginId }) => ({ loginId }))),
  endOtherLoginsAction: destructive(user(() => null)),
  deleteUserAction: destructive(user(() => null)),
  switchEmailAction: user(() => ({ kind: "links_dead", isOn: false })),
  cancelHeldSubscriptionAction: owner(({ paymentId }) => ({ id: paymentId }), ["not_found"]),
  verifyEmailAction: byToken({}, "/verify-email/x"),
  confirmEmailChangeAction: byToken({}, "/change-email/x"),
  switchEmailsByLinkAction: { ...byToken({ isOn: false }, "/unsubscribe/x"), own: ["invalid"] },
};

const VIDEOS: Record<string, ActionSpec> = {
  deleteVideosAction: destructive(owner(({ videoId }) => ({ ids: [videoId] }))),
  restoreVideosAction: owner(({ videoId }) => ({ ids: [videoId] }), ["ok", "not_found", "wrong_state"]),
  editSavedVideoAction: owner(({ videoId }) => ({ id: videoId, tags: ["moss"], notes: "Moss" })),
};

const webhook = ({ webhookId }: SurfaceUser) => ({ endpointId: webhookId });

const WEBHOOKS: Record<string, ActionSpec> = {
  listWebhooksAction: user(() => null),
  // Five at most.
  createWebhookAction: user(
    () => ({ url: "https://hooks.example/a", events: ["pin.failed"], description: "" }),
    ["ok", "wrong_state"],
  ),
  updateWebhookAction: owner((of) => ({ ...webhook(of), events: ["pin.failed", "link.dead"] })),
  rotateWebhookSecretAction: owner(webhook),
  deleteWebhookAction: destructive(owner(webhook)),
  sendTestEventAction: owner(webhook),
  listDeliveriesAction: owner(webhook),
  readDeliveryAction: owner(({ deliveryId }) => ({ deliveryId })),
  replayDeliveryAction: owner(({ deliveryId }) => ({ deliveryId })),
};

const FORMS: Record<string, ActionSpec> = {
  loginFormAction: form(({ email, password }) => ({ email, password })),
  verifyFormAction: form(() => ({ code: "123456" })),
  registerFormAction: form(() => ({ first_name: "Moss", last_name: "Fern", username: "x", email: "not an address" })),
  requestResetFormAction: form(({ email }) => ({ email })),
  resetPasswordFormAction: {
    ...form(() => ({ token: "t".repeat(43), newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD })),
    page: "/reset-password/x",
  },
  contactFormAction: form(({ email }) => ({ name: "Ada", email, subject: "Hello", message: "Hello." })),
};

/** Every server action. One that is missing here fails `contract/surface-actions.test.ts`. */
export const ACTION_SPECS: Record<string, ActionSpec> = {
  ...PINS,
  ...PUBLISHING,
  ...IMPORTS,
  ...GENERATION,
  ...SITES,
  ...IDENTITY,
  ...VIDEOS,
  ...WEBHOOKS,
  ...FORMS,
};
