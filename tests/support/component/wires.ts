import type { TaskWire } from "#lib/features/generation/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { PRESETS } from "#lib/features/planning/constants.ts";
import type { PaceWire } from "#lib/features/planning/schema.ts";

/** A draft as the server sends it. */
export const pinWire = (changes: Partial<PinWire> = {}): PinWire => ({
  id: "pin_1",
  title: "Draft 1",
  description: "",
  image_url: IMAGE,
  keyword: null,
  url: null,
  status: "draft",
  created_at: "2026-03-01T08:00:00.000Z",
  scheduled_at: null,
  published_at: null,
  pinterest_url: null,
  account_id: "account_1",
  board_id: "101",
  board_section_id: null,
  alt_text: "",
  reason: null,
  may_be_published: false,
  check_url: null,
  source: "ai",
  format: "image",
  placeholder: null,
  review: null,
  template_id: null,
  link_state: null,
  link_warning: null,
  link_checking: false,
  from_page: false,
  ...changes,
});

/** An account's pace as the server sends it. */
export const paceWire = (changes: Partial<PaceWire> = {}): PaceWire => ({
  account_id: "account_1",
  username: "fern",
  time_zone: "Asia/Kathmandu",
  preset: "steady",
  numbers: PRESETS.steady,
  ...changes,
});

/** An image that needs no server. */
export const IMAGE =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='1000' height='1500'%3E%3Crect width='1000' height='1500' fill='%23386b50'/%3E%3C/svg%3E";

/** A finished task of a generation as the server sends it. */
export const taskWire = (changes: Partial<TaskWire> = {}): TaskWire => ({
  task_id: "task_1",
  id: "task_1",
  status: "SUCCESS",
  stage: "SUCCESS",
  keyword: "quiet bedroom",
  title: "Quiet bedroom",
  description: "About bedrooms",
  image_url: IMAGE,
  url: null,
  progress_percentage: 100,
  hasTitle: true,
  hasDescription: true,
  hasImage: true,
  ...changes,
});
