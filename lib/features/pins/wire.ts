import type { LinkState } from "#lib/features/links/constants.ts";
import type { PostFilter, PostStatus } from "./constants.ts";

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
  /** Who made the picture: a model, or the user by hand. */
  source: "ai" | "manual";
  /** The picture in a few dozen bytes, as a data address, for the time until it has come. */
  placeholder: string | null;
  /** What its owner said when it was shown to them by itself (D9). */
  review: "approved" | "rejected" | null;
  /** The template whose words stand on the picture. */
  template_id: string | null;
  /** What was found behind `url`; null without one, before anybody looked, and once the pin is published. */
  link_state: LinkState | null;
  /** What a person should know about the link before publishing, in a sentence. It holds nothing back. */
  link_warning: string | null;
  /** Whether the link is being looked at now, for the first time or again. */
  link_checking: boolean;
}

/** How many pins of an account are found in each state, and in all. */
export type PostCounts = Record<PostFilter, number>;

export interface PostsWire {
  posts: PostWire[];
  /** Where they were asked for. */
  counts?: PostCounts;
}

/** What creating pins by hand answers: R-BULK-09, and the drafts in the order of the rows. */
export interface BulkWire {
  posts: PostWire[];
  message: string;
  /** Numbers of pins (from 1) whose image moved: its first frame was taken. */
  first_frames: number[];
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

/** What a change of several pins would do to one of them. `problem`: why it cannot be done. */
export interface PlannedEdit {
  id: string;
  title: string;
  changes: { field: "board" | "link" | "description"; before: string; after: string }[];
  problem: string | null;
}
