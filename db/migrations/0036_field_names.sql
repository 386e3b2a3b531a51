ALTER TABLE "letters" RENAME TO "email_outbox";--> statement-breakpoint
ALTER INDEX "letters_pkey" RENAME TO "email_outbox_pkey";--> statement-breakpoint
ALTER INDEX "letters_wake" RENAME TO "email_outbox_wake";--> statement-breakpoint
ALTER INDEX "letters_user" RENAME TO "email_outbox_user";--> statement-breakpoint
ALTER INDEX "letters_age" RENAME TO "email_outbox_age";--> statement-breakpoint
ALTER TABLE "email_outbox" RENAME CONSTRAINT "letters_user_id_users_id_fk" TO "email_outbox_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "drawing_places" RENAME TO "image_slots";--> statement-breakpoint
ALTER INDEX "drawing_places_pkey" RENAME TO "image_slots_pkey";--> statement-breakpoint
ALTER INDEX "drawing_places_user" RENAME TO "image_slots_user";--> statement-breakpoint
ALTER TABLE "image_slots" RENAME CONSTRAINT "drawing_places_user_id_users_id_fk" TO "image_slots_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "image_slots" RENAME COLUMN "asked_at" TO "requested_at";--> statement-breakpoint
ALTER TABLE "image_slots" RENAME COLUMN "is_drawing" TO "is_generating";--> statement-breakpoint
ALTER TABLE "drawing_pauses" RENAME TO "image_pauses";--> statement-breakpoint
ALTER INDEX "drawing_pauses_pkey" RENAME TO "image_pauses_pkey";--> statement-breakpoint
ALTER TABLE "generation_tasks" RENAME COLUMN "drawing_ms" TO "image_ms";--> statement-breakpoint
ALTER TABLE "pin_figures" RENAME TO "pin_metrics";--> statement-breakpoint
ALTER INDEX "pin_figures_pkey" RENAME TO "pin_metrics_pkey";--> statement-breakpoint
ALTER INDEX "pin_figures_account" RENAME TO "pin_metrics_account";--> statement-breakpoint
ALTER INDEX "pin_figures_age" RENAME TO "pin_metrics_age";--> statement-breakpoint
ALTER TABLE "pin_metrics" RENAME CONSTRAINT "pin_figures_pin_id_pins_id_fk" TO "pin_metrics_pin_id_pins_id_fk";--> statement-breakpoint
ALTER TABLE "pin_metrics" RENAME CONSTRAINT "pin_figures_account_id_pinterest_accounts_id_fk" TO "pin_metrics_account_id_pinterest_accounts_id_fk";--> statement-breakpoint
ALTER TABLE "result_gathers" RENAME TO "analytics_syncs";--> statement-breakpoint
ALTER INDEX "result_gathers_pkey" RENAME TO "analytics_syncs_pkey";--> statement-breakpoint
ALTER INDEX "result_gathers_wake" RENAME TO "analytics_syncs_wake";--> statement-breakpoint
ALTER TABLE "analytics_syncs" RENAME CONSTRAINT "result_gathers_account_id_pinterest_accounts_id_fk" TO "analytics_syncs_account_id_pinterest_accounts_id_fk";--> statement-breakpoint
ALTER TABLE "analytics_syncs" RENAME COLUMN "asked_at" TO "requested_at";--> statement-breakpoint
ALTER TABLE "weekly_mails" RENAME TO "weekly_emails";--> statement-breakpoint
ALTER INDEX "weekly_mails_pkey" RENAME TO "weekly_emails_pkey";--> statement-breakpoint
ALTER TABLE "weekly_emails" RENAME CONSTRAINT "weekly_mails_user_id_users_id_fk" TO "weekly_emails_user_id_users_id_fk";--> statement-breakpoint
ALTER TABLE "weekly_emails" RENAME COLUMN "asked_week" TO "requested_week";--> statement-breakpoint
ALTER TABLE "weekly_emails" RENAME COLUMN "told_week" TO "sent_week";--> statement-breakpoint
ALTER TABLE "users" RENAME COLUMN "muted_mails" TO "muted_emails";--> statement-breakpoint
ALTER TABLE "credit_balances" RENAME COLUMN "low_told_at" TO "low_notified_at";--> statement-breakpoint
ALTER TABLE "publish_attempts" RENAME COLUMN "looks" TO "board_checks";--> statement-breakpoint
ALTER TABLE "publish_attempts" RENAME COLUMN "look_failures" TO "failed_board_checks";--> statement-breakpoint
ALTER TABLE "publish_attempts" RENAME COLUMN "looked_at" TO "board_checked_at";--> statement-breakpoint
ALTER TABLE "pins" RENAME COLUMN "breakdowns" TO "failed_runs";--> statement-breakpoint
ALTER TABLE "link_checks" RENAME COLUMN "asked_at" TO "fetched_at";--> statement-breakpoint
ALTER TABLE "live_horizon" RENAME COLUMN "retired_through" TO "purged_through";--> statement-breakpoint
ALTER FUNCTION tell_login_end() RENAME TO notify_login_end;
