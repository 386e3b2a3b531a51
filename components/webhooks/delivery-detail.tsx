"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { LoadFailed } from "#components/shared/list-parts.tsx";
import { Button } from "#components/ui/button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { actionValue, callAction } from "#lib/client/api.ts";
import { refetchActive } from "#lib/client/query-client.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { formatCount } from "#lib/core/text.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { readDeliveryAction, replayDeliveryAction } from "#lib/features/webhooks/actions.ts";
import type { AttemptWire, DeliveryWire } from "#lib/features/webhooks/schema.ts";

function Code({ label, children }: { label: string; children: string }) {
  return (
    <div>
      <p className="text-xs font-medium text-ink-3">{label}</p>
      <pre className="mt-1 rounded-control border border-line bg-well px-3 py-2.5 font-mono text-xs/[1.55] whitespace-pre-wrap wrap-anywhere">
        {children}
      </pre>
    </div>
  );
}

const headerText = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

/** Indented if it is JSON, as our bodies are. */
const pretty = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);

function Attempt({ attempt, timeZone }: { attempt: AttemptWire; timeZone: string }) {
  const { number, url, sent_at, status, duration_ms, problem, response_excerpt, request_headers } = attempt;
  const facts = [
    status === null ? null : `status ${status}`,
    duration_ms === null ? null : `${formatCount(duration_ms)} ms`,
  ].filter((fact) => fact !== null);
  const isOpen = status === null && problem === null;
  return (
    <li className="grid gap-2.5 border-t border-line pt-3">
      <p className="num text-sm">
        <b className="font-[550]">Attempt {number}</b>
        {" · "}
        <time dateTime={sent_at}>{formatDateTime(sent_at, timeZone)}</time>
        {facts.length > 0 && ` · ${facts.join(", ")}`}
        {isOpen && " · waiting for the response"}
      </p>
      {url !== null && <p className="text-sm wrap-anywhere text-ink-2">To {url}</p>}
      {problem && <p className="text-sm text-failed-ink">{problem}</p>}
      <Code label={`Request headers of attempt ${number}`}>{headerText(request_headers)}</Code>
      {response_excerpt && <Code label={`Response to attempt ${number}`}>{response_excerpt}</Code>}
    </li>
  );
}

/** The request of a delivery, each attempt with its answer, and a way to send it again. */
export function DeliveryDetail({ delivery, timeZone }: { delivery: DeliveryWire; timeZone: string }) {
  const client = useQueryClient();
  const notice = useNotice();
  const [isBusy, setBusy] = useState(false);
  const deliveryId = delivery.id;
  // The list is polled; each change of its row reads the details again.
  const key = queryKeys.delivery(delivery.id, `${delivery.state}:${delivery.attempts}`);
  const { data, error, reload } = useApiQuery(key, () => actionValue(readDeliveryAction({ deliveryId })), {
    placeholderData: (before) => before,
  });

  async function replay(): Promise<void> {
    setBusy(true);
    const result = await callAction(replayDeliveryAction({ deliveryId }));
    setBusy(false);
    if (!result.ok) return notice.error(result.text);
    await refetchActive(client, queryKeys.deliveries(delivery.webhook_id));
  }

  if (error !== null) return <LoadFailed onRetry={reload}>We couldn't load the details.</LoadFailed>;
  if (!data) return <p className="mt-3 text-sm text-ink-3">Loading…</p>;
  return (
    <div className="mt-3 grid gap-3.5 pb-2">
      <Code label="Request body">{pretty(data.request_body)}</Code>
      {data.attempt_log.length > 0 && (
        <ol aria-label="Attempts" className="grid gap-3.5">
          {data.attempt_log.map((attempt) => (
            <Attempt key={attempt.number} attempt={attempt} timeZone={timeZone} />
          ))}
        </ol>
      )}
      <div>
        <Button size="sm" isBusy={isBusy} onClick={() => void replay()}>
          {data.state === "pending" ? "Send now" : "Send again"}
        </Button>
      </div>
    </div>
  );
}
