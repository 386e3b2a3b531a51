import { CalendarScreen } from "#components/calendar/calendar-screen.tsx";
import type { DayRange } from "#lib/core/paths.ts";
import type { CalendarPinWire, CalendarWire, PostingSlot } from "#lib/features/calendar/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import type { Answers, RecordedCall } from "./calls.ts";
import { renderScreen } from "./render.tsx";
import { IMAGE } from "./wires.ts";

export const ACCOUNT = { id: "acc_1", username: "moss", timeZone: "America/New_York" };
/** Far ahead, so that no time has passed. */
const NOW = new Date("2099-03-10T15:00:00.000Z");
const RANGE = { from: "2099-03-01T05:00:00.000Z", to: "2099-04-12T04:00:00.000Z" };

/** A pin of the calendar. */
export const pin = (id: string, at: string, more: Partial<CalendarPinWire> = {}): CalendarPinWire => ({
  ...{ id, title: `Pin ${id}`, image_url: IMAGE, status: "scheduled", at, board_id: "b1", reason: null },
  ...{ format: "image", impressions: null, outbound_clicks: null },
  ...more,
});

const POSTS = [
  pin("out", "2099-03-09T14:00:00.000Z", { status: "published", impressions: 1_234, outbound_clicks: 56 }),
  pin("one", "2099-03-12T14:00:00.000Z"),
  pin("two", "2099-03-12T19:30:00.000Z", { board_id: "b2" }),
];

type Shown = {
  posts?: CalendarPinWire[];
  drafts?: PinWire[];
  slots?: PostingSlot[];
  fillDays?: DayRange;
  now?: Date;
  view?: "month" | "week" | "list";
  date?: string;
  answerMove?: () => Promise<unknown>;
};

/** Shows the calendar. Moves are kept, so that later requests show them; `answerMove` may wait or refuse first. */
export const showCalendar = async (
  {
    posts = POSTS,
    drafts = [],
    slots = [],
    view = "month",
    date = "2099-03-10",
    fillDays,
    now = NOW,
    answerMove,
  }: Shown = {},
  answers: Answers = {},
) => {
  const times = new Map<string, string | null>(posts.map(({ id, at }) => [id, at]));
  const within = (query: URLSearchParams): CalendarWire => ({
    posts: posts.flatMap((one) => {
      const at = times.get(one.id) ?? "";
      return at >= (query.get("from") ?? "") && at < (query.get("to") ?? "") ? { ...one, at } : [];
    }),
    has_more: false,
  });
  const moves: { post_id: string; from: string | null; to: string | null }[][] = [];
  const screen = await renderScreen(
    <CalendarScreen
      accounts={[ACCOUNT]}
      accountId={ACCOUNT.id}
      first={{ view, date, boardId: null, status: "all" }}
      initial={{ accountId: ACCOUNT.id, range: RANGE, calendar: { posts, has_more: false }, drafts }}
      slots={slots}
      {...(fillDays && { fillDays })}
      userTimeZone="UTC"
      now={now.toISOString()}
    />,
    {
      path: "/app/calendar",
      answers: {
        [`GET /api/users/pinterest/calendar/${ACCOUNT.id}/`]: ({ query }: RecordedCall) => within(query),
        [`GET /api/users/pinterest/generated-pins/${ACCOUNT.id}/`]: { posts: drafts },
        [`GET /api/users/pinterest/boards/${ACCOUNT.id}/`]: {
          items: [
            { id: "b1", name: "Moss", description: "", privacy: "PUBLIC" },
            { id: "b2", name: "Bread", description: "", privacy: "PUBLIC" },
          ],
        },
        "ACTION checkTimesAction": { ok: true, value: [] },
        "POST /api/users/pinterest/move-pins/": async ({ body }: { body: unknown }) => {
          const sent = Object(body).moves as (typeof moves)[number];
          moves.push(sent);
          const refusal = await answerMove?.();
          if (refusal instanceof Response) return refusal;
          for (const { post_id, to } of sent) times.set(post_id, to);
          return { moved: sent.length };
        },
        ...answers,
      },
    },
  );
  return { ...screen, moves };
};

/** The date of the cell that shows a pin. */
export const dayOf = (title: string): string | undefined =>
  [...document.querySelectorAll<HTMLElement>("[data-slot=calendar-pin]")]
    .find((element) => element.textContent?.includes(title))
    ?.closest<HTMLElement>("[data-date]")?.dataset.date;
