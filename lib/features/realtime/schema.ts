import { z } from "zod";
import type { CreditsWire } from "#lib/features/credits/schema.ts";
import type { TaskWire } from "#lib/features/generation/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { TEXTS } from "./constants.ts";

/** An empty string means no event was seen yet. */
export const positionInput = z
  .string()
  .regex(/^\d{0,15}$/, TEXTS.positionInvalid)
  .transform((text) => (text === "" ? null : Number(text)));

/** `after` is the fallback for the `Last-Event-ID` header. */
export const eventsInput = z.object({ after: positionInput.nullish().transform((after) => after ?? null) });
export type EventsInput = z.output<typeof eventsInput>;

interface GroupEvent {
  group_id: string;
  total_tasks: number;
  quality: "high" | "standard";
  finished: boolean;
}

/** Always the current state. */
export interface LiveData {
  task: TaskWire & { group_id: string };
  group: GroupEvent;
  post: PinWire;
  post_removed: { id: string };
  account: { id: string; status: "connected" | "reconnect_needed" | "removed" };
  credits: CreditsWire;
  /** Too many events were missed: the client has to reload. */
  reset: Record<string, never>;
  alive: Record<string, never>;
}

/** `id` is the position to resume from. */
export type LiveEvent = { [K in keyof LiveData]: { id: number; kind: K; data: LiveData[K] } }[keyof LiveData];
