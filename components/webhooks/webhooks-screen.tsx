"use client";

import { useState } from "react";
import { ConfirmIdentity } from "#components/identity/confirm-identity.tsx";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import type { ConfirmationMethod } from "#lib/features/sign-in/constants.ts";
import { ENDPOINTS_MAX } from "#lib/features/webhooks/constants.ts";
import type { EndpointsWire, EndpointWire } from "#lib/features/webhooks/schema.ts";
import { EndpointCard } from "./endpoint-card.tsx";
import { EndpointDialog } from "./endpoint-form.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { useWebhooks } from "./use-webhooks.ts";

type Opened = { kind: "add" } | { kind: "edit" | "rotate" | "off" | "delete"; webhook: EndpointWire };

type WebhookListProps = { first: EndpointsWire; timeZone: string };

function WebhookList({ first, timeZone }: WebhookListProps) {
  const work = useWebhooks(first);
  const { webhooks, isBusy } = work;
  const [opened, setOpened] = useState<Opened | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpened(null);
  const focusAdd = () => document.getElementById("add-webhook");
  const isFull = webhooks.length >= ENDPOINTS_MAX;
  const nameOf = ({ description, url }: EndpointWire) => description || url;

  async function rotate(webhook: EndpointWire): Promise<void> {
    const replaced = await work.rotate(webhook);
    close();
    setSecret(replaced);
  }

  async function turnOff(webhook: EndpointWire): Promise<void> {
    await work.setEnabled(webhook, false);
    close();
  }

  async function remove(webhook: EndpointWire): Promise<void> {
    await work.remove(webhook);
    close();
  }

  function finish(added: string | null): void {
    close();
    setSecret(added);
    if (added === null) showToast("Webhook saved", { hasCheck: true });
    void work.reload();
  }

  const add = (
    <Button id="add-webhook" variant="primary" onClick={() => setOpened({ kind: "add" })}>
      Add a webhook
    </Button>
  );
  return (
    <>
      {webhooks.length === 0 ? (
        <EmptyState title="No webhooks yet" action={add}>
          Add the URL of your own tool, and choose the events it should get.
        </EmptyState>
      ) : (
        <>
          <ul aria-label="Webhooks" className="mb-5 grid gap-4">
            {webhooks.map((webhook) => (
              <EndpointCard
                key={webhook.id}
                webhook={webhook}
                timeZone={timeZone}
                isBusy={isBusy}
                onTest={() => work.test(webhook)}
                onEdit={() => setOpened({ kind: "edit", webhook })}
                onRotate={() => setOpened({ kind: "rotate", webhook })}
                onTurnOn={() => void work.setEnabled(webhook, true)}
                onTurnOff={() => setOpened({ kind: "off", webhook })}
                onDelete={() => setOpened({ kind: "delete", webhook })}
              />
            ))}
          </ul>
          {isFull ? (
            <p className="text-sm text-ink-3">You have {ENDPOINTS_MAX} webhooks. Delete one to add another.</p>
          ) : (
            add
          )}
        </>
      )}
      <EndpointDialog
        isOpen={opened?.kind === "add" || opened?.kind === "edit"}
        webhook={opened?.kind === "edit" ? opened.webhook : null}
        onClose={close}
        onSaved={finish}
      />
      <ConfirmDialog
        isOpen={opened?.kind === "rotate"}
        question="Replace the signing secret?"
        declineLabel="Keep it"
        confirmLabel="Replace secret"
        isBusy={isBusy}
        onDecline={close}
        onConfirm={() => opened?.kind === "rotate" && void rotate(opened.webhook)}
      >
        For 24 hours, requests are also signed with the old secret, so you have time to switch.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={opened?.kind === "off"}
        question={opened?.kind === "off" ? `Turn off ${nameOf(opened.webhook)}?` : ""}
        declineLabel="Keep it on"
        confirmLabel="Turn off webhook"
        isBusy={isBusy}
        onDecline={close}
        onConfirm={() => opened?.kind === "off" && void turnOff(opened.webhook)}
      >
        Events that haven't been delivered yet won't be sent, and new ones aren't recorded while it's off.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={opened?.kind === "delete"}
        question={opened?.kind === "delete" ? `Delete ${nameOf(opened.webhook)}?` : ""}
        declineLabel="Keep it"
        confirmLabel="Delete webhook"
        isDangerous
        isBusy={isBusy}
        focusAfter={focusAdd}
        onDecline={close}
        onConfirm={() => opened?.kind === "delete" && void remove(opened.webhook)}
      >
        Events that haven't been delivered yet won't be sent, and its deliveries are deleted.
      </ConfirmDialog>
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

type WebhooksScreenProps = {
  first: EndpointsWire;
  confirmationMethods: readonly ConfirmationMethod[];
  timeZone: string;
};

/** The Webhooks screen: URLs that get the user's events, and what was sent to them. */
export function WebhooksScreen({ first, confirmationMethods, timeZone: painted }: WebhooksScreenProps) {
  const timeZone = useTimeZone(painted);
  return (
    <ConfirmIdentity methods={confirmationMethods}>
      <PageHeader title="Webhooks" action={<LinkButton href="/app/settings">Back to Settings</LinkButton>}>
        Notify your own tools when something happens, like a pin being published. Requests are signed. If your tool
        doesn't respond, we retry for about a day.
      </PageHeader>
      <WebhookList first={first} timeZone={timeZone} />
    </ConfirmIdentity>
  );
}
