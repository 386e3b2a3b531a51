"use client";

import { useEffect, useState } from "react";
import { useConnect } from "#components/accounts/use-connect.ts";
import { useReturnFocus } from "#components/shared/use-return-focus.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { countOf, formatCount } from "#lib/core/text.ts";
import { formatDateTime } from "#lib/core/time.ts";
import type { SyncWire } from "#lib/features/analytics/schema.ts";
import { agoText } from "./analytics-text.ts";
import { connectionText } from "./evaluate-report.tsx";
import type { SyncRequest } from "./use-report.ts";

type SyncStatusProps = {
  accountId: string;
  sync: SyncWire;
  syncRequest: SyncRequest;
  /** The section's heading, which gets the focus when the retry button disappears. */
  headingId: string;
  /** When the server rendered the page; ages are computed from the client's clock afterward. */
  now: Date;
  timeZone: string;
};

const missingText = ({ gone, refused }: SyncWire): string =>
  [
    gone > 0 && `${countOf(gone, "pin")} ${gone === 1 ? "is" : "are"} no longer on Pinterest.`,
    refused > 0 && `Pinterest has no metrics for ${countOf(refused, "pin")}.`,
  ]
    .filter(Boolean)
    .join(" ");

const ageText = ({ oldest_at }: SyncWire, now: Date): string =>
  oldest_at === null ? "" : ` Oldest data: ${agoText(oldest_at, now)}.`;

/** The server's time for the first render, then the time of each response. */
const useNow = (painted: Date, answer: unknown): Date => {
  const [now, setNow] = useState(painted);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each response has its own age
  useEffect(() => setNow(new Date()), [answer]);
  return now;
};

function Progress({ sync, now: painted, timeZone }: Pick<SyncStatusProps, "sync" | "now" | "timeZone">) {
  const now = useNow(painted, sync);
  const { state, published, counted, gone, refused, resumes_at, text } = sync;
  const checked = counted + gone + refused;
  const isUnderWay = state === "working" || state === "waiting";
  const isComplete = checked >= published;
  const resumeText = resumes_at && `Loading resumes at ${formatDateTime(resumes_at, timeZone)}.`;
  return (
    <div data-slot="sync-status" className="grid gap-2 text-sm/[1.5] text-ink-3 num">
      {isUnderWay && (
        <progress
          className={cn(
            "appearance-none w-full h-1.5 rounded-[3px] overflow-hidden bg-line text-growing",
            "[&::-webkit-progress-bar]:bg-line",
            "[&::-webkit-progress-value]:bg-growing [&::-webkit-progress-value]:transition-[inline-size]",
            "[&::-webkit-progress-value]:duration-(--dur-panel) [&::-webkit-progress-value]:ease-out",
            "[&::-moz-progress-bar]:bg-growing",
          )}
          value={checked}
          max={Math.max(1, published)}
          aria-label="Pins with metrics"
        />
      )}
      <p>
        {isComplete
          ? `Metrics for ${countOf(counted, "published pin")}`
          : `Metrics for ${formatCount(counted)} of ${countOf(published, "published pin")}`}
        .{ageText(sync, now)} {state === "working" && !isComplete && "More are loading."}
        {state === "waiting" && [text ?? "Waiting for Pinterest.", resumeText].filter(Boolean).join(" ")}{" "}
        {missingText(sync)}
      </p>
      <span className="sr-only" role="status">
        {isUnderWay ? "Metrics are loading." : `Metrics for ${countOf(counted, "pin")} loaded.`}
        {state === "lost" && " The account is disconnected from Pinterest."}
      </span>
    </div>
  );
}

/** When a retry is possible. A status, so that screen readers announce it after a press that came too early. */
function RetryIn({ seconds }: { seconds: number | null }) {
  return (
    <span role="status">
      {seconds !== null && ` You can try again in ${seconds === 1 ? "1 second" : `${seconds} seconds`}.`}
    </span>
  );
}

/** Offers to reconnect, because retrying does not help a lost connection. */
function ConnectionLost({ accountId, sync, headingId }: Pick<SyncStatusProps, "accountId" | "sync" | "headingId">) {
  const { isBusy, refusal, connect } = useConnect();
  const focusBack = useReturnFocus(headingId);
  return (
    <Banner
      tone="low"
      action={
        <Button size="sm" ref={focusBack} isBusy={isBusy} onClick={() => connect(accountId)}>
          Reconnect<span className="sr-only"> to load metrics</span>
        </Button>
      }
    >
      {connectionText(sync)} {refusal}
    </Banner>
  );
}

/** How many pins have metrics, how fresh they are, and why others are missing. */
export function SyncStatus({ accountId, sync, syncRequest, headingId, now, timeZone }: SyncStatusProps) {
  const focusBack = useReturnFocus(headingId);
  if (sync.state === "off") {
    return (
      <Banner>
        Results by keyword, board, and time aren't available here. Account metrics and top pins still load live from
        Pinterest.
      </Banner>
    );
  }
  const isLost = sync.state === "lost";
  const why = syncRequest.problem ?? (sync.state === "held" ? (sync.text ?? "Pinterest isn't responding.") : null);
  return (
    <>
      {isLost && <ConnectionLost accountId={accountId} sync={sync} headingId={headingId} />}
      {why && !isLost && (
        <Banner
          tone="low"
          action={
            <Button size="sm" ref={focusBack} isBusy={syncRequest.isRetrying} onClick={syncRequest.retry}>
              Try again<span className="sr-only">: missing metrics</span>
            </Button>
          }
        >
          Missing metrics aren't loading. {why}
          <RetryIn seconds={syncRequest.retryInSeconds} />
        </Banner>
      )}
      <Progress sync={sync} now={now} timeZone={timeZone} />
    </>
  );
}
