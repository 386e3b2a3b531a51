ALTER TABLE "webhook_endpoints" ADD COLUMN "write_key" text;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "secret_write_key" text;
