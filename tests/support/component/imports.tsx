import { ImportScreen } from "#components/spreadsheets/import-screen.tsx";
import { FIELDS, type Field } from "#lib/features/spreadsheets/constants.ts";
import type { ImportWire, ReviewRowWire } from "#lib/features/spreadsheets/schema.ts";
import type { Answers } from "./calls.ts";
import { renderScreen } from "./render.tsx";

export const VALUES = Object.fromEntries(FIELDS.map((field) => [field, ""])) as Record<Field, string>;

export const row = (change: Partial<ReviewRowWire> = {}): ReviewRowWire => ({
  ...{ number: 2, is_chosen: true, is_changed: false, board: "Moss", board_id: "1", scheduled_at: null },
  ...{ image_url: null, image_state: "waiting", problems: [], notes: [], pace_warning: null },
  ...{ link_state: null, link_warning: null, link_checking: false },
  values: { ...VALUES, title: "Fern", image: "https://example.com/a.jpg", board: "Moss" },
  ...change,
});

export const wrong = row({
  number: 3,
  values: { ...VALUES, board: "Moss" },
  problems: [
    { field: "title", text: "Enter a title." },
    { field: "image", text: "Add an image URL." },
  ],
});

export const open = (change: Partial<ImportWire> = {}): ImportWire => ({
  ...{ id: "imp_1", status: "review", version: 1, account_id: "acc_1", username: "juniper", file_name: "pins.csv" },
  ...{ format: "pinterest", headers: ["Title", "Media URL", "Pinterest board"], samples: [["Fern"]] },
  ...{ mapping: { title: 0, image: 1, board: 2 }, is_scheduled: false, time_zone: "UTC", reason: null },
  counts: {
    ...{ rows: 2, chosen: 2, problems: 1, left_out: 0, drafts: 1, scheduled: 0, too_fast: 0 },
    ...{ images_waiting: 0, images_failed: 0 },
  },
  ...{
    missing_boards: { names: [], more: 0 },
    boards: [{ id: "1", name: "Moss" }],
    page: 0,
    pages: 1,
    rows: [row(), wrong],
    created: null,
  },
  ...change,
});

export const fixed = open({
  counts: { ...open().counts, problems: 0, drafts: 2 },
  rows: [row(), row({ number: 3, is_changed: true })],
});

/** The import reads as `after` once the action was called. */
export const changedBy = (action: string, after: ImportWire, before = open()): Answers => {
  let isChanged = false;
  return {
    [`ACTION ${action}`]: () => {
      isChanged = true;
      return { ok: true, value: null };
    },
    "ACTION readImportAction": () => ({ ok: true, value: isChanged ? after : before }),
  };
};

export const show = (answers: Answers = {}, first = open()) =>
  renderScreen(<ImportScreen accounts={[{ id: "acc_1", username: "juniper" }]} open={first} />, {
    path: "/app/import",
    answers: { "GET /api/users/pinterest/boards/acc_1/": { items: [] }, ...answers },
  });
