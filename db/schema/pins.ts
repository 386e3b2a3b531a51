import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** What a pin is found by, in lower case of every alphabet: its index (pg_trgm) holds this very expression. */
export const pinWords = (table: { title: AnyPgColumn; keyword: AnyPgColumn }): SQL =>
  sql`lower((${table.title} || ' ' || coalesce(${table.keyword}, '')) collate "und-x-icu")`;

/** A pin of ours, from draft to published or failed (R-POST-11). */
export const pins = pgTable(
  "pins",
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
    source: text({ enum: ["ai", "manual"] }).notNull(),
    title: text().notNull(),
    description: text().notNull().default(""),
    altText: text().notNull().default(""),
    link: text(),
    keyword: text(),
    imageKey: text().notNull(),
    /** The picture without the template that is drawn on it; null while `imageKey` is that picture. */
    baseImageKey: text(),
    /** The template that is drawn on the picture, and its words: a `TemplateChoice` of `lib/features/branding/schema.ts`. */
    template: jsonb(),
    /** The picture in a few dozen bytes, as a data address: what shows until it has come. */
    placeholder: text(),
    /** 64 bits that are nearly the same for pictures that look nearly the same, as 16 hexadecimal digits. */
    likeness: text(),
    /** What its owner said when it was shown to them one by one (D9). */
    review: text({ enum: ["approved", "rejected"] }),
    reviewedAt: at(),
    /** `deleted` is ours alone: no list, count or answer has it. */
    status: text({ enum: ["draft", "scheduled", "published", "failed", "deleted"] }).notNull(),
    scheduledAt: at(),
    /** Counts schedulings; an event or job of an earlier one finds another number and does nothing. */
    scheduleGeneration: integer().notNull().default(0),
    batchId: text(),
    /** When somebody is next expected to work on it; long past means that an event was lost, and the sweep sends another. */
    wakeAt: at(),
    /** How often the sweep sent this schedule's event again; part of that event's id. */
    sweeps: integer().notNull().default(0),
    /** How often a run of this schedule broke down on our side. */
    breakdowns: integer().notNull().default(0),
    /** When the user chose this very pin for publishing (D9). */
    chosenAt: at(),
    publishedAt: at(),
    pinterestPinId: text(),
    /** Why it is failed, or why it went back to draft; safe to show. */
    reason: text(),
    /** The outcome stayed unclear: it may be on Pinterest already. */
    mayBePublished: boolean().notNull().default(false),
    /** Deleted by its owner, who may take that back for a while; and the state that it then has again. */
    deletedAt: at(),
    deletedFrom: text({ enum: ["draft", "failed"] }),
    createdAt: at().notNull(),
    updatedAt: at().notNull(),
  },
  (table) => [
    // Of their digest: links may be longer than a key of a tree. A tree, for thousands of pins may share one link.
    index("pins_link").on(sql`md5(${table.link})`).where(sql`${table.link} is not null`),
    index("pins_deleted").on(table.deletedAt).where(sql`${table.deletedAt} is not null`),
    index("pins_base_image").on(table.baseImageKey).where(sql`${table.baseImageKey} is not null`),
    index("pins_account").on(table.accountId, table.createdAt, table.id),
    index("pins_account_status").on(table.accountId, table.status, table.createdAt, table.id),
    index("pins_drafts")
      .on(
        table.accountId,
        sql`(${table.review} is not null)`,
        table.createdAt.desc().nullsFirst(),
        table.id.desc().nullsFirst(),
      )
      .where(sql`${table.status} = 'draft'`),
    index("pins_reviewed")
      .on(table.accountId, table.review, table.reviewedAt, table.id)
      .where(sql`${table.status} = 'draft' and ${table.review} is not null`),
    index("pins_due").on(table.accountId, table.scheduledAt, table.id).where(sql`${table.status} = 'scheduled'`),
    index("pins_published").on(table.accountId, table.publishedAt).where(sql`${table.status} = 'published'`),
    index("pins_title").on(table.accountId, sql`(${table.title} collate "und-x-icu")`, table.id),
    index("pins_words").using("gin", table.accountId, sql`(${pinWords(table)}) gin_trgm_ops`),
    index("pins_wake").on(table.wakeAt).where(sql`${table.status} = 'scheduled'`),
    uniqueIndex("pins_pinterest_pin").on(table.pinterestPinId),
  ],
);
