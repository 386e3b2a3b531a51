"use client";

import CircleCheck from "lucide-react/icons/circle-check";
import CirclePause from "lucide-react/icons/circle-pause";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { formatDateTime } from "#lib/core/time.ts";
import { WEBHOOK_EVENTS } from "#lib/features/webhooks/constants.ts";
import type { EndpointWire } from "#lib/features/webhooks/schema.ts";
import { Deliveries } from "./deliveries.tsx";

function StateChip({ webhook: { enabled, failing_since } }: { webhook: EndpointWire }) {
  if (!enabled) return <Chip icon={<CirclePause aria-hidden="true" />}>Off</Chip>;
  if (failing_since !== null) {
    return (
      <Chip tone="failed" icon={<TriangleAlert aria-hidden="true" />}>
        Failing
      </Chip>
    );
  }
  return (
    <Chip tone="published" icon={<CircleCheck aria-hidden="true" />}>
      On
    </Chip>
  );
}

const REASONS = {
  gone: "It responded with status 410 (Gone), so we turned it off.",
  failing: "Nothing got through for three days, so we turned it off.",
} as const;

function Problem({ webhook, timeZone }: { webhook: EndpointWire; timeZone: string }) {
  const { enabled, disabled_for, failing_since } = webhook;
  if (disabled_for === "gone" || disabled_for === "failing") {
    return <Banner tone="failed">{REASONS[disabled_for]} We won't record new events until you turn it back on.</Banner>;
  }
  if (!enabled || failing_since === null) return null;
  return (
    <Banner tone="low">
      Deliveries have failed since {formatDateTime(failing_since, timeZone)}. We retry each event for about a day. If
      nothing gets through for three days, we'll turn this webhook off.
    </Banner>
  );
}

type EndpointCardProps = {
  webhook: EndpointWire;
  timeZone: string;
  isBusy: boolean;
  onTest: () => Promise<void>;
  onEdit: () => void;
  onRotate: () => void;
  onTurnOn: () => void;
  onTurnOff: () => void;
  onDelete: () => void;
};

/** A webhook with its state, what can be done with it, and what was sent. */
export function EndpointCard(props: EndpointCardProps) {
  const { webhook, timeZone, isBusy, onTest, onEdit, onRotate, onTurnOn, onTurnOff, onDelete } = props;
  const [isListed, setListed] = useState(false);
  const listId = `deliveries-${webhook.id}`;
  const name = webhook.description || webhook.url;
  const about = <span className="sr-only"> {name}</span>;
  const { previous_secret_ends_at: oldSecretEndsAt } = webhook;
  return (
    <li className="grid gap-3.5 rounded-card bg-surface p-5 shadow-card" data-slot="webhook">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-[1_1_16rem]">
          <h2 className="text-ui font-[550] wrap-anywhere">{name}</h2>
          {webhook.description && <p className="font-mono text-xs text-ink-3 wrap-anywhere">{webhook.url}</p>}
        </div>
        <StateChip webhook={webhook} />
      </div>
      <p className="text-sm text-ink-2">{webhook.events.map((event) => WEBHOOK_EVENTS[event]).join(" · ")}</p>
      <Problem webhook={webhook} timeZone={timeZone} />
      {oldSecretEndsAt !== null && (
        <p className="text-sm text-ink-3">
          Until {formatDateTime(oldSecretEndsAt, timeZone)}, requests are also signed with the old secret.
        </p>
      )}
      <div className="flex flex-wrap gap-2.5">
        {webhook.enabled && (
          <Button
            size="sm"
            isBusy={isBusy}
            onClick={() => {
              setListed(true);
              void onTest();
            }}
          >
            Send test event{about}
          </Button>
        )}
        <Button size="sm" aria-expanded={isListed} aria-controls={listId} onClick={() => setListed(!isListed)}>
          {isListed ? "Hide deliveries" : "Show deliveries"}
          {about}
        </Button>
        <Button size="sm" onClick={onEdit}>
          Edit{about}
        </Button>
        <Button size="sm" onClick={onRotate}>
          Replace secret{about}
        </Button>
        <Button size="sm" onClick={webhook.enabled ? onTurnOff : onTurnOn}>
          {webhook.enabled ? "Turn off" : "Turn on"}
          {about}
        </Button>
        <Button size="sm" variant="danger-quiet" onClick={onDelete}>
          Delete{about}
        </Button>
      </div>
      <div id={listId} className="empty:hidden">
        {isListed && <Deliveries webhook={webhook} timeZone={timeZone} />}
      </div>
    </li>
  );
}
