import { z } from "zod";
import type { CreditsWire } from "#lib/features/credits/schema.ts";
import type { TaskWire } from "#lib/features/generation/schema.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { TEXTS } from "./constants.ts";

/** An event's id as it comes back from a browser; empty means that none was seen yet. */
export const positionInput = z
  .string()
  .regex(/^\d{0,15}$/, TEXTS.positionInvalid)
  .transform((text) => (text === "" ? null : Number(text)));

/** GET /api/users/events/: go on after an event, as the header `Last-Event-ID` says as well. */
export const eventsInput = z.object({ after: positionInput.nullish().transform((after) => after ?? null) });
export type EventsInput = z.output<typeof eventsInput>;

/** A group began or ended. */
export interface GroupNews {
  group_id: string;
  total_tasks: number;
  quality: "high" | "standard";
  finished: boolean;
}

/** What each kind of event carries: the thing as it is now, never as it was. */
export interface LiveData {
  task: TaskWire & { group_id: string };
  group: GroupNews;
  post: PostWire;
  post_removed: { id: string };
  account: { id: string; status: "connected" | "reconnect_needed" | "removed" };
  credits: CreditsWire;
  /** Too much was missed: read again what is shown. */
  reset: Record<string, never>;
  alive: Record<string, never>;
}

/** One event of the stream. `id` is where to go on. */
export type LiveNews = { [K in keyof LiveData]: { id: number; kind: K; data: LiveData[K] } }[keyof LiveData];
