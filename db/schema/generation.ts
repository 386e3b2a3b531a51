import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";
import { pins } from "./pins.ts";

/** All times are the database's. An expired row belongs to a dead process and is ignored (decision 0008). */
export const imageSlots = pgTable(
  "image_slots",
  {
    /** The id of the generation task. Only one call at a time may wait or run for it. */
    reference: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    waiter: text().notNull(),
    requestedAt: at().notNull(),
    presentUntil: at().notNull(),
    leasedUntil: at(),
    /** Whether the lease takes up a slot: from the grant until the model has answered. */
    isGenerating: boolean().notNull().default(false),
  },
  (table) => [index("image_slots_user").on(table.userId)],
);

export const imagePauses = pgTable("image_pauses", {
  subject: text().primaryKey(),
  resumeAt: at().notNull(),
  pacedUntil: at().notNull(),
  /** Milliseconds between grants until `pacedUntil`, so that a single call tests the quota. */
  gapMs: integer().notNull(),
});

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
    boardSectionId: text(),
    quality: text({ enum: ["high", "standard"] }).notNull(),
    /** What happens to a task whose page can't be used. */
    unreadPage: text({ enum: ["use_keyword", "stop"] })
      .notNull()
      .default("use_keyword"),
    totalTasks: integer().notNull(),
    createdAt: at().notNull(),
    finishedAt: at(),
  },
  (table) => [
    index("generation_groups_user").on(table.userId, table.createdAt),
    index("generation_groups_finished").on(table.finishedAt).where(sql`${table.finishedAt} is not null`),
    index("generation_groups_open").on(table.userId).where(sql`${table.finishedAt} is null`),
  ],
);

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
    /** From 1: which of the pins for the same row. */
    variant: integer().notNull().default(1),
    url: text(),
    /** `page`: the pin gets the page's own image. */
    imageSource: text({ enum: ["generated", "page"] })
      .notNull()
      .default("generated"),
    /** What was taken from the page: a `PageSummary` of `lib/features/pages/schema.ts`. Null before it was read. */
    page: jsonb(),
    costCredits: integer().notNull(),
    status: text({ enum: ["PENDING", "STARTED", "RETRY", "SUCCESS", "FAILURE", "REVOKED"] }).notNull(),
    title: text(),
    description: text(),
    altText: text(),
    imageKey: text(),
    /** From the grant of the slot to the stored image; used for estimates. Null when it was not measured. */
    imageMs: integer(),
    /** Safe to show. */
    reason: text(),
    pinId: text().references(() => pins.id, { onDelete: "set null" }),
    /** No foreign key: it must survive the pin's deletion, and deleting a pin takes no lock here. */
    replacesPinId: text(),
    /** The pin's previous image, for undo: an `ImageState` of `lib/features/pins/schema.ts`. */
    replaced: jsonb(),
    /** When the task was dispatched. Until then it has no event and can be revoked. */
    calledAt: at(),
    /** When the engine last accepted an event; null while that is unknown, so that the sweep sends one. */
    sentAt: at(),
    /** Number of resends, part of the event id. A restore starts at a higher number. */
    sweeps: integer().notNull().default(0),
    /** The deadline for progress. After it the sweep takes the task over. */
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
    index("generation_tasks_image").on(table.imageKey).where(sql`${table.imageKey} is not null`),
    index("generation_tasks_wake").on(table.wakeAt).where(sql`${table.finishedAt} is null`),
    index("generation_tasks_measured").on(table.finishedAt).where(sql`${table.imageMs} is not null`),
    index("generation_tasks_waiting")
      .on(table.userId, table.createdAt, table.position)
      .where(sql`${table.calledAt} is null and ${table.finishedAt} is null`),
    index("generation_tasks_called")
      .on(table.userId)
      .where(sql`${table.calledAt} is not null and ${table.finishedAt} is null`),
  ],
);

/** Finished images that the storage could not take: kept here until it is back, since they are paid for. */
export const heldImages = pgTable("held_images", {
  taskId: text()
    .primaryKey()
    .references(() => generationTasks.id, { onDelete: "cascade" }),
  /** JPEG, as base64. */
  image: text().notNull(),
  createdAt: at().notNull(),
});
