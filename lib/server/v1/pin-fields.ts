import "server-only";
import { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import {
  ALT_TEXT_MAX,
  DESCRIPTION_MAX,
  LINK_MAX,
  PIN_FORMATS,
  PIN_STATUSES,
  TITLE_MAX,
} from "#lib/features/pins/constants.ts";
import { type AccountSummary, findPinsById, type ListedPin, requireOwnedPin } from "#lib/features/pins/queries.ts";
import { altText, boardId, boardSectionId, description, link, title } from "#lib/features/pins/schema.ts";
import { toPinWire } from "#lib/features/pins/serializers.ts";
import type { PinWire } from "#lib/features/pins/wire.ts";
import { ownId, text, time } from "./fields.ts";

/** What a client can set. */
export const pinFields = {
  board_id: boardId.meta({ description: "A board of the account." }),
  board_section_id: boardSectionId.nullable().meta({ description: "A section of that board; null: none." }),
  title: title.meta({ description: "The title.", maxLength: TITLE_MAX }),
  description: description.meta({ description: "The description.", maxLength: DESCRIPTION_MAX }),
  alt_text: altText.meta({
    description: "What the image shows, for people who can't see it.",
    maxLength: ALT_TEXT_MAX,
  }),
  link: link.meta({
    description: "Where the pin leads: an http or https URL, or null for no link.",
    maxLength: LINK_MAX,
  }),
};

export const pin = z
  .object({
    id: ownId("The pin's ID here. Its ID on Pinterest is part of `pinterest_url`."),
    account_id: z.string(),
    board_id: z.string(),
    board_section_id: z.string().nullable(),
    title: z.string(),
    description: z.string(),
    alt_text: z.string(),
    link: z.string().nullable(),
    keyword: z.string().nullable().meta({ description: "The keyword it was generated from." }),
    format: z.enum(PIN_FORMATS),
    source: z.enum(["ai", "manual"]),
    status: z.enum(PIN_STATUSES),
    image_url: text(
      "The image, the cover of the video, or the first slide. Works for 12 to 24 hours unless published.",
    ),
    created_at: time("When it was created."),
    scheduled_at: time("When it is or was due.").nullable(),
    published_at: time("When it was published.").nullable(),
    pinterest_url: z.string().nullable(),
    reason: z.string().nullable().meta({ description: "Why it failed, or what it waits for." }),
    may_be_published: z
      .boolean()
      .meta({ description: "Pinterest didn't confirm it. It may be published, so look before you publish it again." }),
    review: z.enum(["approved", "rejected"]).nullable().meta({ description: "What the user decided about the draft." }),
    template_id: z.string().nullable(),
    link_warning: z.string().nullable().meta({ description: "What is wrong with the link, in a sentence." }),
  })
  .meta({ id: "Pin", description: "A draft, or a scheduled, published, or failed pin." });

const absolute = (ctx: FullCtx, path: string): string =>
  path.startsWith("/") ? `${ctx.settings.appUrl}${path}` : path;

export const toPin = (ctx: FullCtx, wire: PinWire): z.output<typeof pin> => ({
  ...{ id: wire.id, account_id: wire.account_id, board_id: wire.board_id, board_section_id: wire.board_section_id },
  ...{ title: wire.title, description: wire.description, alt_text: wire.alt_text, link: wire.url },
  ...{ keyword: wire.keyword, format: wire.format, source: wire.source, status: wire.status },
  image_url: absolute(ctx, wire.image_url),
  ...{ created_at: wire.created_at, scheduled_at: wire.scheduled_at, published_at: wire.published_at },
  ...{ pinterest_url: wire.pinterest_url, reason: wire.reason, may_be_published: wire.may_be_published },
  ...{ review: wire.review, template_id: wire.template_id, link_warning: wire.link_warning },
});

export const toPins = (ctx: FullCtx, page: { pins: readonly ListedPin[]; account: AccountSummary }) =>
  page.pins.map((one) => toPin(ctx, toPinWire(ctx, one, page.account)));

/** The current state of one pin. @throws AppError `not_found` */
export const readOnePin = async (ctx: FullCtx, pinId: string): Promise<z.output<typeof pin>> => {
  const { pin: owned, account } = await requireOwnedPin(ctx, pinId);
  return toPin(ctx, toPinWire(ctx, owned, account));
};

/** The current states of pins, in this order; pins may be of several accounts. */
export const readPins = async (ctx: FullCtx, pinIds: readonly string[]): Promise<z.output<typeof pin>[]> => {
  const found = await findPinsById(ctx, pinIds);
  const ids = [...new Set(found.map(({ accountId }) => accountId))];
  const accounts = new Map(
    await Promise.all(ids.map(async (accountId) => [accountId, await requireOwnedAccount(ctx, accountId)] as const)),
  );
  return found.flatMap((one) => {
    const account = accounts.get(one.accountId);
    return account ? [toPin(ctx, toPinWire(ctx, one, account))] : [];
  });
};
