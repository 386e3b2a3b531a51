"use client";

import { Button } from "#components/ui/button.tsx";
import { DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import type { FormErrors, FormOutcome } from "#lib/client/form-outcome.ts";
import {
  DAILY_CREDITS_DEFAULT,
  KEY_LIFETIMES_DAYS,
  KEY_NAME_MAX,
  type KeyLifetime,
  SCOPES,
  TEXTS,
} from "#lib/features/api-keys/constants.ts";
import { isCredits } from "#lib/features/api-keys/policy.ts";
import type { CreateKeyInput } from "#lib/features/api-keys/schema.ts";
import { ScopesField } from "./scopes-field.tsx";

export const KEY_FIELDS = ["name", "scopes", "dailyCredits", "lifetimeDays"] as const;
export type KeyField = (typeof KEY_FIELDS)[number];

const LABELS = {
  name: "Name",
  scopes: "Permissions",
  dailyCredits: "Daily credit limit",
  lifetimeDays: "Expires",
} as const;

const LIFETIME_TEXTS = new Map<KeyLifetime, string>([
  [30, "In 30 days"],
  [90, "In 90 days"],
  [365, "In 1 year"],
  [null, "Never"],
]);

const toLifetime = (text: string): KeyLifetime => KEY_LIFETIMES_DAYS.find((days) => String(days) === text) ?? null;

const check = ({ name, scopes, dailyCredits }: Record<KeyField, string>): FormErrors<KeyField> => ({
  ...(!name.trim() && { name: TEXTS.nameMissing }),
  ...(!scopes && { scopes: TEXTS.noScopes }),
  ...(!isCredits(dailyCredits) && { dailyCredits: TEXTS.dailyCreditsInvalid }),
});

type NewKeyFormProps = {
  send: (input: CreateKeyInput) => Promise<FormOutcome<KeyField>>;
  onCancel: () => void;
};

/** Name, permissions, and lifetime of a new key. */
export function NewKeyForm({ send, onCancel }: NewKeyFormProps) {
  const form = useForm<KeyField>({
    fields: KEY_FIELDS,
    check,
    send: ({ name, scopes, dailyCredits, lifetimeDays }) =>
      send({
        name: name.trim(),
        scopes: SCOPES.filter((scope) => scopes.split(" ").includes(scope)),
        dailyCredits: dailyCredits.trim() === "" ? null : Number(dailyCredits),
        lifetimeDays: toLifetime(lifetimeDays),
      }),
  });
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="New API key" {...form.bind}>
      <FormSummary problem={form.problem} errors={form.errors} labels={LABELS} />
      <fieldset disabled={form.isSending} className="grid gap-[18px]">
        <TextField
          label={LABELS.name}
          name="name"
          autoComplete="off"
          maxLength={KEY_NAME_MAX}
          hint="What you'll use it for, so you recognize it later."
          error={form.errors.name}
          required
        />
        <ScopesField scopes={SCOPES} error={form.errors.scopes} />
        <TextField
          label={LABELS.dailyCredits}
          name="dailyCredits"
          inputMode="numeric"
          autoComplete="off"
          defaultValue={DAILY_CREDITS_DEFAULT}
          hint="The most it can spend on generating pins in a day (UTC). Leave blank for no daily limit."
          error={form.errors.dailyCredits}
        />
        <SelectField label={LABELS.lifetimeDays} name="lifetimeDays" defaultValue="90" error={form.errors.lifetimeDays}>
          {KEY_LIFETIMES_DAYS.map((days) => (
            <option key={String(days)} value={String(days)}>
              {LIFETIME_TEXTS.get(days)}
            </option>
          ))}
        </SelectField>
      </fieldset>
      <DialogActions>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={form.isSending}>
          Create key
        </Button>
      </DialogActions>
    </form>
  );
}
