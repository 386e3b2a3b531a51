import "server-only";
import { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { createBulk } from "#lib/features/pins/bulk-create.ts";
import { BULK_MAX, PIN_FILTERS, PIN_SORTS, TEXTS } from "#lib/features/pins/constants.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { listPins, readPin } from "#lib/features/pins/library.ts";
import { fileDigest, keepUploadInput, listPinsInput } from "#lib/features/pins/schema.ts";
import { keepUpload } from "#lib/features/pins/uploads.ts";
import type { AttemptWire } from "#lib/features/pins/wire.ts";
import { limitCall, rateLimitFactor } from "../rate-limit.ts";
import { receiveImage } from "../received-files.ts";
import { count, id, listOf, pageOf, pageQuery, text, time } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";
import { pin, pinFields, toPin, toPins } from "./pin-fields.ts";

export const pinParams = z.strictObject({ pin_id: id("A pin's ID.") });

const attempt = z
  .object({
    number: count("Counted from 1."),
    state: text("`armed`: recorded, not sent yet; `calling`: being sent; `settled`: the outcome is known."),
    outcome: z.string().nullable().meta({ description: "How it ended: `created`, `found`, `rejected` …" }),
    called_at: time("When the request was sent; null: not sent.").nullable(),
    answered_at: time("When Pinterest responded.").nullable(),
    settled_at: time("When the outcome was known.").nullable(),
    board_checks: count("How often the board was searched for the pin."),
    http_status: z.number().int().nullable(),
    problem: z.string().nullable(),
  })
  .meta({ id: "PublishAttempt", description: "One attempt to publish a pin." });

const toAttempt = (wire: AttemptWire): z.output<typeof attempt> => ({
  ...{ number: wire.number, state: wire.state, outcome: wire.outcome, called_at: wire.called_at },
  ...{ answered_at: wire.answered_at, settled_at: wire.settled_at, board_checks: wire.looks },
  ...{ http_status: wire.http_status, problem: wire.problem },
});

const pinDetails = z
  .object({
    pin,
    attempts: z.array(attempt),
    video: z
      .object({
        url: z.string(),
        content_type: z.string(),
        bytes: count("Its size."),
        duration_ms: count("Its length."),
      })
      .nullable(),
    slides: z.array(
      z.object({ image_url: z.string(), title: z.string(), description: z.string(), link: z.string().nullable() }),
    ),
  })
  .meta({ id: "PinDetails" });

const readDetails = async (ctx: FullCtx, pinId: string): Promise<z.output<typeof pinDetails>> => {
  const { post, attempts, video, slides } = await readPin(ctx, { pinId });
  const { appUrl } = ctx.settings;
  return {
    pin: toPin(ctx, post),
    attempts: attempts.map(toAttempt),
    video: video && { ...video, url: `${appUrl}${video.url}` },
    slides: slides.map(({ image_url, title, description, url }) => {
      return { image_url: `${appUrl}${image_url}`, title, description, link: url };
    }),
  };
};

const listQuery = z.strictObject({
  account_id: id("The account whose pins are listed."),
  status: z.enum(PIN_FILTERS, TEXTS.statusInvalid).default("all").meta({ description: "Only pins in this state." }),
  search: listPinsInput.shape.q.meta({ description: "Words that the title or keyword contains." }),
  sort: z
    .enum(PIN_SORTS, TEXTS.sortInvalid)
    .default("newest")
    .meta({ description: "`due`: scheduled ones first, by time." }),
  ...pageQuery,
});

const newPin = z.strictObject({
  ...pinFields,
  board_section_id: pinFields.board_section_id.optional(),
  description: pinFields.description.default(""),
  alt_text: pinFields.alt_text.default(""),
  link: pinFields.link.optional(),
  upload_id: fileDigest.meta({ description: "The image, from `POST /uploads`." }),
});

const newPins = z
  .strictObject({
    account_id: id("The account to publish to."),
    pins: z.array(newPin, TEXTS.noPins).min(1, TEXTS.noPins).max(BULK_MAX, TEXTS.tooManyPins),
  })
  .meta({ id: "NewPins" });

/** The use case names pins by the part that they come in. */
const asField = (name: string): string => name.replace(/^pins\[(\d+)\]$/, "pins.$1");

const createPins = async (ctx: FullCtx, body: z.output<typeof newPins>, writeKey: string | null) => {
  await limitCall(ctx, "createPins", requireUserId(ctx), rateLimitFactor(), body.pins.length);
  const pins = body.pins.map((one) => ({
    ...{ title: one.title, description: one.description, altText: one.alt_text, link: one.link ?? null },
    ...{ boardId: one.board_id, boardSectionId: one.board_section_id ?? null },
    image: { path: null, sha256: one.upload_id },
  }));
  try {
    const created = await createBulk(ctx, { accountId: body.account_id, pins, idempotencyKey: writeKey });
    return { data: toPins(ctx, created) };
  } catch (error) {
    if (!(error instanceof AppError) || !error.fields) throw error;
    const fields = Object.entries(error.fields).map(([name, texts]) => [asField(name), texts]);
    throw new AppError(error.code, { text: error.message, fields: Object.fromEntries(fields) });
  }
};

const pinChange = z
  .strictObject(pinFields)
  .partial()
  .refine(({ board_id, board_section_id }) => board_id !== undefined || !board_section_id, TEXTS.sectionNeedsBoard)
  .meta({ id: "PinChange", description: "Fields that are left out stay as they are." });

const editPin = async (ctx: FullCtx, pinId: string, body: z.output<typeof pinChange>) => {
  const { title, description, link } = body;
  const edited = await editDraft(ctx, {
    ...{ pinId, title, description, link, altText: body.alt_text },
    ...{ boardId: body.board_id, boardSectionId: body.board_section_id },
  });
  return toPin(ctx, edited);
};

const upload = z
  .object({
    id: text("The file's SHA-256 hash. Uploading the same file again returns the same ID."),
    is_first_frame: z.boolean().meta({ description: "The file was animated; its first frame is used." }),
    expires_at: time("When the upload expires. It expires earlier after 100 newer uploads."),
  })
  .meta({ id: "Upload" });

export const pinOperations: readonly Operation[] = [
  operation({
    ...{ id: "listPins", method: "GET", path: "/pins", tag: "Pins", scope: "pins:read" },
    summary: "List pins",
    query: listQuery,
    response: pageOf(pin).meta({ id: "PinPage" }),
    errors: ["not_found"],
    run: async (ctx, { query }) => {
      const { account_id: accountId, search: q, status, sort, limit, cursor } = query;
      const page = await listPins(ctx, { accountId, status, q, sort, limit, cursor, ids: undefined, counts: false });
      return { data: toPins(ctx, page), next_cursor: page.nextCursor };
    },
  }),
  operation({
    ...{ id: "getPin", method: "GET", path: "/pins/{pin_id}", tag: "Pins", scope: "pins:read" },
    summary: "Get a pin",
    description: "With every attempt to publish it, and with its video or slides.",
    params: pinParams,
    response: pinDetails,
    errors: ["not_found"],
    run: (ctx, { params }) => readDetails(ctx, params.pin_id),
  }),
  operation({
    ...{ id: "uploadImage", method: "POST", path: "/uploads", tag: "Pins", scope: "pins:write" },
    limit: "uploadImage",
    summary: "Upload an image",
    description:
      "JPG, PNG, WebP, or GIF of up to 32 MB, as the part `image` of a multipart body. Kept for a day; the 100 newest of the user. The same file gives the same ID, so there is no `Idempotency-Key`.",
    body: keepUploadInput.meta({ id: "ImageUpload" }),
    receive: receiveImage,
    ...{ status: 201, response: upload, errors: ["too_large", "provider_unavailable"] },
    run: async (ctx, { body }) => keepUpload(ctx, body),
  }),
  operation({
    ...{ id: "createPins", method: "POST", path: "/pins", tag: "Pins", scope: "pins:write" },
    summary: "Create drafts from uploaded images",
    description: "All or none, in this order; costs no credits. Boards are checked live.",
    body: newPins,
    ...{ status: 201, response: listOf(pin).meta({ id: "PinList" }) },
    errors: ["not_found", "reconnect_needed", "refused", "wrong_state", "provider_unavailable"],
    run: (ctx, { body, writeKey }) => createPins(ctx, body, writeKey),
  }),
  operation({
    ...{ id: "editPin", method: "PATCH", path: "/pins/{pin_id}", tag: "Pins", scope: "pins:write" },
    summary: "Edit a draft or a failed pin",
    params: pinParams,
    body: pinChange,
    response: pin,
    errors: ["not_found", "wrong_state", "reconnect_needed", "refused"],
    run: (ctx, { params, body }) => editPin(ctx, params.pin_id, body),
  }),
  operation({
    ...{ id: "deletePin", method: "DELETE", path: "/pins/{pin_id}", tag: "Pins", scope: "pins:write" },
    summary: "Delete a draft or a failed pin",
    description: "The user can restore it for a day.",
    params: pinParams,
    ...{ status: 204, errors: ["not_found", "wrong_state"] },
    run: (ctx, { params }) => deleteDrafts(ctx, { pinIds: [params.pin_id] }),
  }),
];
