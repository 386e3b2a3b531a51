import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { pinterestAccounts } from "./accounts.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** The text that search matches, lowercased for all alphabets. Must equal the expression of the `pins_words` index. */
export const pinSearchText = (table: { title: AnyPgColumn; keyword: AnyPgColumn }): SQL =>
  sql`lower((${table.title} || ' ' || coalesce(${table.keyword}, '')) collate "und-x-icu")`;

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
    /** Belongs to the board, so a change of the board clears it. */
    boardSectionId: text(),
    source: text({ enum: ["ai", "manual"] }).notNull(),
    /** `image_key` is the image, the cover of the video, or the first slide. */
    format: text({ enum: ["image", "video", "carousel"] })
      .notNull()
      .default("image"),
    title: text().notNull(),
    description: text().notNull().default(""),
    altText: text().notNull().default(""),
    link: text(),
    keyword: text(),
    imageKey: text().notNull(),
    /** The image without its template; null when no template is applied. */
    baseImageKey: text(),
    /** The applied template and its text: a `TemplateChoice` of `lib/features/branding/schema.ts`. */
    template: jsonb(),
    placeholder: text(),
    /** Perceptual hash: 64 bits as 16 hexadecimal digits. */
    likeness: text(),
    review: text({ enum: ["approved", "rejected"] }),
    reviewedAt: at(),
    /** `deleted` is internal: lists, counts and responses leave such pins out. */
    status: text({ enum: ["draft", "scheduled", "published", "failed", "deleted"] }).notNull(),
    scheduledAt: at(),
    /** Grows with each scheduling, so that events and jobs of an earlier one do nothing. */
    scheduleGeneration: integer().notNull().default(0),
    batchId: text(),
    /** When the scan starts a run for it next; while a run is on its way or at work, when that counts as lost. */
    wakeAt: at(),
    /** The earliest time of the next attempt; null: the scheduled time. */
    notBefore: at(),
    sweeps: integer().notNull().default(0),
    failedRuns: integer().notNull().default(0),
    chosenAt: at(),
    publishedAt: at(),
    pinterestPinId: text(),
    /** Safe to show. */
    reason: text(),
    /** The outcome is unknown: it may already be on Pinterest. */
    mayBePublished: boolean().notNull().default(false),
    deletedAt: at(),
    deletedFrom: text({ enum: ["draft", "failed"] }),
    createdAt: at().notNull(),
    updatedAt: at().notNull(),
  },
  (table) => [
    // By digest: a link may exceed the size limit of a B-tree key.
    index("pins_link").on(sql`md5(${table.link})`).where(sql`${table.link} is not null`),
    index("pins_deleted").on(table.deletedAt).where(sql`${table.deletedAt} is not null`),
    index("pins_image").on(table.imageKey),
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
    index("pins_words").using("gin", table.accountId, sql`(${pinSearchText(table)}) gin_trgm_ops`),
    index("pins_wake").on(table.wakeAt).where(sql`${table.status} = 'scheduled'`),
    uniqueIndex("pins_pinterest_pin").on(table.pinterestPinId),
  ],
);
