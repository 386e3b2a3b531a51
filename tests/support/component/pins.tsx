import { expect } from "vitest";
import { readPinQuery } from "#components/pins/pin-list.ts";
import { PinsScreen } from "#components/pins/pins-screen.tsx";
import type { PinCounts, PinsWire, PinWire } from "#lib/features/pins/schema.ts";
import type { PacedPreviewWire } from "#lib/features/planning/schema.ts";
import type { Answers, RecordedCall } from "./calls.ts";
import { renderScreen } from "./render.tsx";
import { paceWire, pinWire } from "./wires.ts";

/** The call that lists an account's pins. */
export const POSTS = "GET /api/users/pinterest/generated-pins/*/";
/** The call that lists an account's boards. */
export const BOARDS = "GET /api/users/pinterest/boards/*/";
/** The call that schedules drafts. */
export const SCHEDULE = "POST /api/users/pinterest/batch-publish-pins/";

const ZONE = "Asia/Kathmandu";

/** The success result of a server action. */
export const done = (value: unknown = null) => ({ ok: true, value });

/** Drafts with these titles, newest first. */
export const draftsOf = (...titles: string[]): PinWire[] =>
  titles.map((title, at) =>
    pinWire({ id: `pin_${at + 1}`, title, created_at: new Date(Date.UTC(2026, 2, 1) - at * 60_000).toISOString() }),
  );

/** Drafts called Draft 1, Draft 2 and so on. */
export const manyDrafts = (count: number): PinWire[] =>
  draftsOf(...Array.from({ length: count }, (_, at) => `Draft ${at + 1}`));

const found = (pins: readonly PinWire[], q: string): PinWire[] =>
  pins.filter(({ title, keyword }) => `${title} ${keyword}`.toLowerCase().includes(q.toLowerCase()));

const countAll = (pins: readonly PinWire[]): PinCounts => {
  const counts: PinCounts = { all: pins.length, draft: 0, scheduled: 0, published: 0, failed: 0 };
  for (const { status } of pins) counts[status] += 1;
  return counts;
};

/** Responds like the API: by status, search, ids, limit and cursor. */
export const listOf = (pins: readonly PinWire[], query: URLSearchParams): Response => {
  const hits = found(pins, query.get("q") ?? "");
  const status = query.get("status") ?? "all";
  const ids = query.get("ids")?.split(",");
  const requested = hits.filter(
    (pin) => (status === "all" || pin.status === status) && (ids?.includes(pin.id) ?? true),
  );
  const from = Number(query.get("cursor") ?? 0);
  const limit = Number(query.get("limit") ?? requested.length);
  const body: PinsWire = { posts: requested.slice(from, from + limit) };
  if (query.get("counts") === "true") body.counts = countAll(hits);
  const next = new URLSearchParams(query);
  next.set("cursor", String(from + limit));
  const link = `</api/users/pinterest/generated-pins/account_1/?${next}>; rel="next"`;
  return Response.json(body, from + limit < requested.length ? { headers: { link } } : undefined);
};

/** A schedule preview without warnings. */
export const freeOf = (call: RecordedCall): { ok: true; value: PacedPreviewWire } => {
  const [{ post_ids: ids }] = call.body as [{ post_ids: string[] }];
  const at = new Date().toISOString();
  const slots = ids.map((post_id) => ({ post_id, due_at: at, clash: null, duplicate: null }));
  return { ok: true, value: { start: at, slots, free_start: null, renewal_due: null, pace: [] } };
};

type PinsOptions = { query?: string; answers?: Answers; isPainted?: boolean; timeZone?: string };

/** Renders Generated Posts. Changing the array changes what the API returns. */
export const openPins = async (
  pins: PinWire[],
  { query = "", answers = {}, isPainted = false, timeZone = ZONE }: PinsOptions = {},
) => {
  const initialQuery = readPinQuery(Object.fromEntries(new URLSearchParams(query)));
  const painted = isPainted ? { posts: [...pins], counts: countAll(pins) } : null;
  const shown = await renderScreen(
    <PinsScreen
      accounts={[
        { id: "account_1", username: "fern" },
        { id: "account_2", username: "moss" },
      ]}
      first={{ accountId: "account_1", query: initialQuery, pins: painted }}
      timeZone={timeZone}
      creatorPath="/app/evertack-creator"
    />,
    {
      path: `/app/generated-posts${query && `?${query}`}`,
      answers: {
        [POSTS]: (call) => listOf(pins, call.query),
        [BOARDS]: {
          items: ["Cabins", "Desserts", "Walks"].map((name, at) => ({
            id: String(101 + at),
            name,
            description: "",
            privacy: "PUBLIC",
          })),
        },
        "ACTION previewScheduleAction": freeOf,
        "ACTION readRegenerationAction": done(),
        "ACTION readPlanNotesAction": done([]),
        "ACTION readPaceAction": done(paceWire()),
        ...answers,
      },
    },
  );
  const { screen } = shown;
  const button = (name: string | RegExp) => screen.getByRole("button", { name, exact: true });
  await expect.poll(() => screen.container.querySelector("[role=tabpanel]")?.getAttribute("aria-busy")).toBe("false");
  return {
    ...shown,
    button,
    /** The checkbox of a draft. */
    pick: (title: string) => screen.getByRole("checkbox", { name: new RegExp(`^Select ${title}(,|$)`) }),
    tab: (word: string) => screen.getByRole("tab", { name: new RegExp(`^${word}`) }),
    search: screen.getByRole("searchbox", { name: "Search pins" }),
    titles: () =>
      [...screen.container.querySelectorAll("[data-slot=pin-card] .pin-caption-title")].map((one) => one.textContent),
    bar: screen.getByRole("region", { name: "Schedule the selected pins" }),
    tools: screen.getByRole("region", { name: "Actions for the selected pins" }),
    notice: screen.getByTestId("notice"),
    openDetails: async (title: string) => {
      await button(`Pin Details: ${title}`).click();
      const details = screen.getByRole("dialog", { name: "Pin Details" });
      await expect.element(details).toBeVisible();
      return details;
    },
  };
};
