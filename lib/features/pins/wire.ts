import type { LinkState } from "#lib/features/links/constants.ts";
import type { PinFilter, PinFormat, PinStatus } from "./constants.ts";

export interface PinWire {
  id: string;
  title: string;
  description: string;
  image_url: string;
  keyword: string | null;
  url: string | null;
  status: PinStatus;
  created_at: string;
  scheduled_at: string | null;
  published_at: string | null;
  pinterest_url: string | null;
  account_id: string;
  board_id: string;
  board_section_id: string | null;
  alt_text: string;
  reason: string | null;
  may_be_published: boolean;
  check_url: string | null;
  source: "ai" | "manual";
  /** `image_url` is the image, the cover of the video, or the first slide. */
  format: PinFormat;
  placeholder: string | null;
  review: "approved" | "rejected" | null;
  template_id: string | null;
  /** Null without a link, before the first check, and once the pin is published. */
  link_state: LinkState | null;
  /** One sentence for the user. A warning does not prevent publishing. */
  link_warning: string | null;
  link_checking: boolean;
  /** Whether it was generated for a page, so that there is something to read about it. */
  from_page: boolean;
}

export type PinCounts = Record<PinFilter, number>;

export interface PinsWire {
  posts: PinWire[];
  counts?: PinCounts;
}

/** The drafts are in the order of the rows. */
export interface BulkWire {
  posts: PinWire[];
  message: string;
  /** 1-based numbers of pins with an animated image, of which the first frame was used. */
  first_frames: number[];
}

export interface AttemptWire {
  number: number;
  state: string;
  outcome: string | null;
  armed_at: string;
  /** When the request was sent; null when none was. */
  called_at: string | null;
  answered_at: string | null;
  settled_at: string | null;
  looks: number;
  http_status: number | null;
  problem: string | null;
  provider_message: string | null;
  note: string | null;
  pinterest_url: string | null;
}

export interface VideoWire {
  /** Works for 12 to 24 hours. */
  url: string;
  content_type: string;
  bytes: number;
  duration_ms: number;
}

export interface SlideWire {
  image_url: string;
  title: string;
  description: string;
  url: string | null;
  link_warning: string | null;
}

export interface PinDetailsWire {
  post: PinWire;
  attempts: AttemptWire[];
  /** Null unless the pin is a video. */
  video: VideoWire | null;
  /** Empty unless the pin is a carousel. */
  slides: SlideWire[];
}

/** Preview of a change for one pin. `problem`: why the change is not possible. */
export interface PlannedEdit {
  id: string;
  title: string;
  changes: { field: "board" | "section" | "link" | "description" | "alt_text"; before: string; after: string }[];
  problem: string | null;
}
