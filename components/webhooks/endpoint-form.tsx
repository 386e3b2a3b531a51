"use client";

import { useId, useState } from "react";
import { useConfirmedAction } from "#components/identity/confirm-identity.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FieldNote, LABEL } from "#components/ui/field.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { createWebhookAction, updateWebhookAction } from "#lib/features/webhooks/actions.ts";
import {
  DESCRIPTION_MAX,
  TEXTS,
  WEBHOOK_EVENT_TYPES,
  WEBHOOK_EVENTS,
  type WebhookEvent,
} from "#lib/features/webhooks/constants.ts";
import type { EndpointWire } from "#lib/features/webhooks/schema.ts";

const FIELDS = ["url", "description", "events"] as const;
type Field = (typeof FIELDS)[number];
const LABELS = { url: "URL", description: "Description", events: "Events" } as const;

type Chosen = ReadonlySet<WebhookEvent>;

type EventChoiceProps = { chosen: Chosen; error: string | undefined; onChange: (chosen: Chosen) => void };

function EventChoice({ chosen, error, onChange }: EventChoiceProps) {
  const noteId = useId();
  function toggle(event: WebhookEvent, isOn: boolean): void {
    const next = new Set(chosen);
    if (isOn) next.add(event);
    else next.delete(event);
    onChange(next);
  }
  return (
    <fieldset aria-describedby={error ? noteId : undefined}>
      <legend className={LABEL}>{LABELS.events}</legend>
      <div className="mt-1 grid grid-cols-2 gap-x-4 max-sm:grid-cols-1">
        {WEBHOOK_EVENT_TYPES.map((event) => (
          <Checkbox
            key={event}
            name="events"
            value={event}
            label={WEBHOOK_EVENTS[event]}
            checked={chosen.has(event)}
            onChange={({ target }) => toggle(event, target.checked)}
          />
        ))}
      </div>
      {error && (
        <FieldNote id={noteId} isError>
          {error}
        </FieldNote>
      )}
    </fieldset>
  );
}

type EndpointFormProps = {
  /** Null for a new webhook. */
  webhook: EndpointWire | null;
  onClose: () => void;
  /** With the secret of a new webhook. */
  onSaved: (secret: string | null) => void;
};

function EndpointForm({ webhook, onClose, onSaved }: EndpointFormProps) {
  const run = useConfirmedAction();
  const [chosen, setChosen] = useState<Chosen>(new Set(webhook?.events ?? WEBHOOK_EVENT_TYPES));
  const form = useForm<Field>({
    fields: FIELDS,
    check: ({ url, events }) => ({
      ...(!URL.canParse(url.trim()) && { url: TEXTS.urlInvalid }),
      ...(!events && { events: TEXTS.eventsInvalid }),
    }),
    send: async ({ url, description }) => {
      const typed = { url, description, events: [...chosen] };
      if (webhook) {
        const saved = await run(() => updateWebhookAction({ endpointId: webhook.id, ...typed }));
        if (saved.ok) onSaved(null);
        return outcomeOfAction(saved, FIELDS);
      }
      const added = await run(() => createWebhookAction(typed));
      if (added.ok) onSaved(added.value.secret);
      return outcomeOfAction(added, FIELDS);
    },
  });
  const { errors } = form;
  return (
    <form className="mt-5 grid gap-[18px]" aria-label={webhook ? "Edit webhook" : "Add a webhook"} {...form.bind}>
      <FormSummary problem={form.problem} errors={errors} labels={LABELS} />
      <fieldset disabled={form.isSending} className="grid gap-[18px]">
        <TextField
          label={LABELS.url}
          name="url"
          type="url"
          autoComplete="off"
          defaultValue={webhook?.url}
          placeholder="https://example.com/webhooks"
          hint="We'll send a POST request with JSON to this URL for each event."
          error={errors.url}
          required
        />
        <TextField
          label={LABELS.description}
          name="description"
          autoComplete="off"
          defaultValue={webhook?.description}
          maxLength={DESCRIPTION_MAX}
          hint="Optional. Only you see it."
          error={errors.description}
        />
        <EventChoice chosen={chosen} error={errors.events} onChange={setChosen} />
      </fieldset>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={form.isSending}>
          {webhook ? "Save changes" : "Add webhook"}
        </Button>
      </DialogActions>
    </form>
  );
}

type EndpointDialogProps = EndpointFormProps & { isOpen: boolean };

/** Adds or edits a webhook. */
export function EndpointDialog({ isOpen, ...form }: EndpointDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={form.onClose} width="md" title={form.webhook ? "Edit webhook" : "Add a webhook"}>
      <EndpointForm {...form} />
    </Dialog>
  );
}
