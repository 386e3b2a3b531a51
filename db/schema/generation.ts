import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";
import { pins } from "./pins.ts";

/**
 * Who draws a picture now, and who waits in a call for that (docs/decisions/0008). All times are the database's.
 * A row whose time is over belongs to a dead process and counts for nothing.
 */
export const drawingPlaces = pgTable(
  "drawing_places",
  {
    /** What is drawn: the id of a generation task. One call at a time may wait or draw for it. */
    reference: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The call that waits or draws. */
    waiter: text().notNull(),
    askedAt: at().notNull(),
    /** A waiting call says again and again that it is there. */
    presentUntil: at().notNull(),
    /** Set once the call has a lease; renewed while it works. */
    leasedUntil: at(),
    /** Whether the lease takes up one of the places: from the grant until the model has answered. */
    isDrawing: boolean().notNull().default(false),
  },
  (table) => [index("drawing_places_user").on(table.userId)],
);

/** The provider's word that no picture may be asked for until some moment; it holds for all. One row. */
export const drawingPauses = pgTable("drawing_pauses", {
  /** Always `images`. */
  subject: text().primaryKey(),
  /** No place is given before. */
  resumeAt: at().notNull(),
  /** Until then places are given one at a time … */
  pacedUntil: at().notNull(),
  /** … and so many milliseconds apart, so that one call finds out what the quota allows. */
  gapMs: integer().notNull(),
});

/** One press of 'Generate Content'. */
export const generationGroups = pgTable(
  "generation_groups",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    accountId: text()
      .notNull()
      .references(() => pinterestAccounts.id),
    boardId: text().notNull(),
    quality: text({ enum: ["high", "standard"] }).notNull(),
    totalTasks: integer().notNull(),
    createdAt: at().notNull(),
    /** Set when the last task has finished. */
    finishedAt: at(),
  },
  (table) => [
    index("generation_groups_user").on(table.userId, table.createdAt),
    index("generation_groups_open").on(table.userId).where(sql`${table.finishedAt} is null`),
  ],
);

/** One keyword on its way to a draft. Results are stored as soon as they exist (DESIGN §5.2). */
export const generationTasks = pgTable(
  "generation_tasks",
  {
    id: text().primaryKey(),
    groupId: text()
      .notNull()
      .references(() => generationGroups.id, { onDelete: "cascade" }),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    position: integer().notNull(),
    keyword: text().notNull(),
    url: text(),
    costCredits: integer().notNull(),
    status: text({ enum: ["PENDING", "STARTED", "RETRY", "SUCCESS", "FAILURE", "REVOKED"] }).notNull(),
    title: text(),
    description: text(),
    altText: text(),
    imageKey: text(),
    /** From a place to draw to the stored picture: what estimates are made from. Null when it was not measured. */
    drawingMs: integer(),
    /** Readable reason of a failure; safe to show. */
    reason: text(),
    pinId: text().references(() => pins.id, { onDelete: "set null" }),
    /**
     * The pin that gets a new picture from this task, instead of a draft being made of it. Stays when the pin is gone,
     * for even then no draft is to come of it; and deleting a pin takes no lock here.
     */
    replacesPinId: text(),
    /** What that pin showed before: a `Showing` of `lib/features/pins/schema.ts`, for taking it back. */
    replaced: jsonb(),
    /** When its turn to be made came; until then it waits without an event, and can be revoked. */
    calledAt: at(),
    /** When the engine last took an event for this task; null while that is not known (the sweep sends it then). */
    sentAt: at(),
    /** How often the sweep sent the event again; part of that event's id. A restore begins at a greater number. */
    sweeps: integer().notNull().default(0),
    /** When a sign of life is due; past it the task counts as silent, and the sweep takes it on. */
    wakeAt: at().notNull(),
    createdAt: at().notNull(),
    startedAt: at(),
    finishedAt: at(),
  },
  (table) => [
    uniqueIndex("generation_tasks_position").on(table.groupId, table.position),
    uniqueIndex("generation_tasks_pin").on(table.pinId),
    uniqueIndex("generation_tasks_replacing")
      .on(table.replacesPinId)
      .where(sql`${table.replacesPinId} is not null and ${table.finishedAt} is null`),
    index("generation_tasks_replaces").on(table.replacesPinId).where(sql`${table.replacesPinId} is not null`),
    index("generation_tasks_wake").on(table.wakeAt).where(sql`${table.finishedAt} is null`),
    index("generation_tasks_measured").on(table.finishedAt).where(sql`${table.drawingMs} is not null`),
    index("generation_tasks_waiting")
      .on(table.userId, table.createdAt, table.position)
      .where(sql`${table.calledAt} is null and ${table.finishedAt} is null`),
    index("generation_tasks_called")
      .on(table.userId)
      .where(sql`${table.calledAt} is not null and ${table.finishedAt} is null`),
  ],
);
