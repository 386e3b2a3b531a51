import { z } from "zod";
import { httpUrl } from "#lib/core/paths.ts";
import { DESCRIPTION_MAX, LINK_MAX, PAGE_MAX, POST_FILTERS, type PostStatus, TEXTS, TITLE_MAX } from "./constants.ts";

/** An id as it comes from outside: any short text; whether it names something of the caller is the gate's to say. */
const opaqueId = z.string("An id is needed.").min(1, "An id is needed.").max(100, "This is not an id of ours.");

/** PostgreSQL takes no NUL, and no reader can see the other control characters. */
const visible = (value: string): string => value.replace(/[\p{Cc}--[\n]]/gv, "").trim();

/** GET /api/users/pinterest/generated-pins/{accountId}/ (R-POST-03). */
export const listPostsInput = z.object({
  accountId: opaqueId,
  status: z.enum(POST_FILTERS, `The status is one of: ${POST_FILTERS.join(", ")}.`).default("all"),
  limit: z.coerce.number("The limit is a number.").int().min(1).max(PAGE_MAX).optional(),
  cursor: z.string().min(1).max(200).optional(),
});
export type ListPostsInput = z.output<typeof listPostsInput>;

export const pinIdInput = z.object({ pinId: opaqueId });
export type PinIdInput = z.output<typeof pinIdInput>;

const link = z
  .string()
  .trim()
  .refine((value) => value.length <= LINK_MAX, TEXTS.linkTooLong)
  .nullable()
  .transform((value, check) => {
    if (value === null || value === "") return null;
    const address = httpUrl(value);
    if (!address) check.addIssue({ code: "custom", message: TEXTS.linkInvalid });
    else if (address.length > LINK_MAX) check.addIssue({ code: "custom", message: TEXTS.linkTooLong });
    return address;
  });

/** What a person may change in a pin that is not scheduled; what is absent stays as it is. */
export const editDraftInput = z.object({
  pinId: opaqueId,
  title: z
    .string()
    .transform(visible)
    .refine((value) => value.length > 0, TEXTS.titleNeeded)
    .refine((value) => value.length <= TITLE_MAX, TEXTS.titleTooLong)
    .optional(),
  description: z
    .string()
    .transform(visible)
    .refine((value) => value.length <= DESCRIPTION_MAX, TEXTS.descriptionTooLong)
    .optional(),
  link: link.optional(),
  boardId: z
    .string()
    .refine((value) => /^\d{1,30}$/.test(value), TEXTS.boardInvalid)
    .optional(),
});
export type EditDraftInput = z.output<typeof editDraftInput>;

/** R-ENT-10, and what a person needs to know about a pin that did not go as planned. */
export interface PostWire {
  id: string;
  title: string;
  description: string;
  image_url: string;
  keyword: string | null;
  /** The link that the pin leads to. */
  url: string | null;
  status: PostStatus;
  created_at: string;
  scheduled_at: string | null;
  published_at: string | null;
  pinterest_url: string | null;
  account_id: string;
  board_id: string;
  alt_text: string;
  /** Why it failed, waits, or went back to draft. */
  reason: string | null;
  may_be_published: boolean;
  /** Where to look when it may be published. */
  check_url: string | null;
}

export interface PostsWire {
  posts: PostWire[];
}

/** One line of a pin's receipt: an attempt to create it at Pinterest. */
export interface AttemptWire {
  number: number;
  state: string;
  outcome: string | null;
  armed_at: string;
  /** When the request went out; null when none did. */
  called_at: string | null;
  answered_at: string | null;
  settled_at: string | null;
  /** How often the board was searched for the pin. */
  looks: number;
  http_status: number | null;
  /** What stood against it, for a person. */
  problem: string | null;
  /** Pinterest's own words. */
  provider_message: string | null;
  note: string | null;
  pinterest_url: string | null;
}

/** A pin with its receipt (DESIGN §5.5). */
export interface ReceiptWire {
  post: PostWire;
  /** Newest first. */
  attempts: AttemptWire[];
}
