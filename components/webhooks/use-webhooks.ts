"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConfirmedAction } from "#components/identity/confirm-identity.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { type ActionResult, actionValue, callAction } from "#lib/client/api.ts";
import { refetchActive } from "#lib/client/query-client.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import {
  deleteWebhookAction,
  listWebhooksAction,
  rotateWebhookSecretAction,
  sendTestEventAction,
  updateWebhookAction,
} from "#lib/features/webhooks/actions.ts";
import type { EndpointsWire, EndpointWire } from "#lib/features/webhooks/schema.ts";

/** The user's webhooks, and what can be done with one of them. Each call resolves to whether it worked. */
export const useWebhooks = (first: EndpointsWire) => {
  const client = useQueryClient();
  const notice = useNotice();
  const run = useConfirmedAction();
  const [isBusy, setBusy] = useState(false);
  const { data } = useApiQuery(queryKeys.webhooks, () => actionValue(listWebhooksAction(null)), {
    initialData: first,
  });
  const reload = () => refetchActive(client, queryKeys.webhooks);

  const settle = async <T>(call: Promise<ActionResult<T>>, text: string | null): Promise<T | null> => {
    setBusy(true);
    const result = await call;
    setBusy(false);
    if (!result.ok) {
      // A user who declined to confirm their identity needs no message.
      if (result.code !== "confirm_identity") notice.error(result.text);
      if (result.code === "not_found") void reload();
      return null;
    }
    if (text) showToast(text, { hasCheck: true });
    void reload();
    return result.value;
  };

  const idOf = ({ id }: EndpointWire) => ({ endpointId: id });
  return {
    webhooks: data?.webhooks ?? first.webhooks,
    isBusy,
    reload,
    setEnabled: (webhook: EndpointWire, enabled: boolean) =>
      settle(
        run(() => updateWebhookAction({ ...idOf(webhook), enabled })),
        enabled ? "Webhook turned on" : "Webhook turned off",
      ),
    /** @returns the new secret */
    rotate: async (webhook: EndpointWire): Promise<string | null> =>
      (
        await settle(
          run(() => rotateWebhookSecretAction(idOf(webhook))),
          null,
        )
      )?.secret ?? null,
    remove: async (webhook: EndpointWire): Promise<boolean> =>
      (await settle(
        run(() => deleteWebhookAction(idOf(webhook))),
        "Webhook deleted",
      )) !== null,
    test: async (webhook: EndpointWire): Promise<void> => {
      await settle(callAction(sendTestEventAction(idOf(webhook))), "Sending a test event");
      await refetchActive(client, queryKeys.deliveries(webhook.id));
    },
  };
};

export type Webhooks = ReturnType<typeof useWebhooks>;
