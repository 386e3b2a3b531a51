CREATE INDEX "pins_drafts" ON "pins" USING btree ("account_id",("review" is not null),"created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE "pins"."status" = 'draft';--> statement-breakpoint
CREATE INDEX "pins_reviewed" ON "pins" USING btree ("account_id","review","reviewed_at","id") WHERE "pins"."status" = 'draft' and "pins"."review" is not null;--> statement-breakpoint
CREATE INDEX "pins_published" ON "pins" USING btree ("account_id","published_at") WHERE "pins"."status" = 'published';--> statement-breakpoint
UPDATE "pins" SET "title" = regexp_replace(normalize("title", NFC), '\s*\n\s*', ' ', 'g'), "keyword" = normalize("keyword", NFC)
WHERE "title" IS NOT NFC NORMALIZED OR "keyword" IS NOT NFC NORMALIZED OR "title" LIKE E'%\n%';
