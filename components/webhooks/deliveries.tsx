"use client";

import CircleCheck from "lucide-react/icons/circle-check";
import CircleSlash from "lucide-react/icons/circle-slash";
import CircleX from "lucide-react/icons/circle-x";
import Clock from "lucide-react/icons/clock";
import { useState } from "react";
import { LoadFailed } from "#components/shared/list-parts.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { useNextPage } from "#lib/client/use-next-page.ts";
import { countOf } from "#lib/core/text.ts";
import { formatDateTime, SECOND_MS } from "#lib/core/time.ts";
import { listDeliveriesAction } from "#lib/features/webhooks/actions.ts";
import { DELIVERIES_PAGE } from "#lib/features/webhooks/constants.ts";
import type { DeliveriesWire, DeliveryWire, EndpointWire } from "#lib/features/webhooks/schema.ts";
import { DeliveryDetail } from "./delivery-detail.tsx";

const STATES = {
  delivered: { tone: "published", Icon: CircleCheck, label: "Delivered" },
  pending: { tone: "scheduled", Icon: Clock, label: "Waiting" },
  failed: { tone: "failed", Icon: CircleX, label: "Failed" },
  canceled: { tone: "plain", Icon: CircleSlash, label: "Canceled" },
} as const;

/** What else there is to say about a delivery. */
function noteOf({ state, attempts, next_attempt_at }: DeliveryWire, timeZone: string): string {
  const tries = countOf(attempts, "attempt");
  if (state !== "pending" || next_attempt_at === null || attempts === 0) return tries;
  return `${tries}, next ${formatDateTime(next_attempt_at, timeZone)}`;
}

type DeliveryRowProps = { delivery: DeliveryWire; timeZone: string };

function DeliveryRow({ delivery, timeZone }: DeliveryRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { tone, Icon, label } = STATES[delivery.state];
  const detailId = `detail-${delivery.id}`;
  return (
    <li className="border-t border-line py-2.5 first:border-t-0" data-slot="delivery">
      <div className="flex flex-wrap items-center gap-x-3.5 gap-y-2">
        <div className="min-w-0 flex-[1_1_14rem] text-sm">
          <p className="font-mono wrap-anywhere">{delivery.type}</p>
          <p className="num text-xs text-ink-3">
            <time dateTime={delivery.created_at}>{formatDateTime(delivery.created_at, timeZone)}</time>
            {` · ${noteOf(delivery, timeZone)}`}
          </p>
        </div>
        <Chip tone={tone} icon={<Icon aria-hidden="true" />}>
          {label}
        </Chip>
        <Button size="sm" aria-expanded={isOpen} aria-controls={detailId} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide details" : "Details"}
          <span className="sr-only">
            {" "}
            of {delivery.type}, {formatDateTime(delivery.created_at, timeZone)}
          </span>
        </Button>
      </div>
      <div id={detailId}>{isOpen && <DeliveryDetail delivery={delivery} timeZone={timeZone} />}</div>
    </li>
  );
}

type Listed = { deliveries: readonly DeliveryWire[]; nextPath: string | null };

const toListed = ({ deliveries, next_cursor }: DeliveriesWire): Listed => ({ deliveries, nextPath: next_cursor });

const append = (before: Listed, older: Listed): Listed => ({
  deliveries: [...before.deliveries, ...older.deliveries],
  nextPath: older.nextPath,
});

/** Soon after a test or a replay, its answer is there. */
const POLL_MS = 2 * SECOND_MS;
const SOON_MS = 30 * SECOND_MS;

/** Long overdue ones wait for another message. Polling would also take older pages away. */
const isSettled = ({ deliveries }: Listed): boolean =>
  deliveries.length > DELIVERIES_PAGE ||
  !deliveries.some(
    ({ state, next_attempt_at }) =>
      state === "pending" && next_attempt_at !== null && Math.abs(Date.parse(next_attempt_at) - Date.now()) < SOON_MS,
  );

/** What was sent to a webhook in the last 30 days, the latest first. */
export function Deliveries({ webhook, timeZone }: { webhook: EndpointWire; timeZone: string }) {
  const key = queryKeys.deliveries(webhook.id);
  const read = async (cursor?: string): Promise<Listed> => {
    const input = { endpointId: webhook.id, ...(cursor && { cursor }) };
    return toListed(await actionValue(listDeliveriesAction(input)));
  };
  const { data, error, reload } = useApiQuery(key, () => read(), {
    polling: { everyMs: () => POLL_MS, isDone: isSettled },
  });
  const older = useNextPage({ queryKey: key, list: data, read, append });
  if (error !== null) return <LoadFailed onRetry={reload}>We couldn't load the deliveries.</LoadFailed>;
  if (!data) return <p className="text-sm text-ink-3">Loading…</p>;
  if (data.deliveries.length === 0) {
    return <p className="text-sm text-ink-3">Nothing has been sent yet. Send a test event to try it out.</p>;
  }
  return (
    <>
      <ul aria-label="Deliveries">
        {data.deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} timeZone={timeZone} />
        ))}
      </ul>
      {older.error !== null && <LoadFailed onRetry={older.read}>We couldn't load more deliveries.</LoadFailed>}
      {older.hasMore && (
        <Button className="mt-3" size="sm" isBusy={older.isReading} onClick={older.read}>
          Show older deliveries
        </Button>
      )}
    </>
  );
}
