"use client";

import { useEffect, useState } from "react";
import { useConnect } from "#components/accounts/use-connect.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#lib/core/text.ts";
import { formatDateTime } from "#lib/core/time.ts";
import type { GatherWire } from "#lib/features/analytics/schema.ts";
import { connectionText } from "./judge-report.tsx";
import { useFocusBack } from "./part-trouble.tsx";
import { agoText, countOf } from "./result-words.ts";
import type { Asking } from "./use-report.ts";

type GatherLineProps = {
  accountId: string;
  gather: GatherWire;
  asking: Asking;
  /** Of the part's heading, which gets the focus when the way to ask again goes. */
  headingId: string;
  /** When the page was painted; as soon as it moves, its own clock tells ages. */
  now: Date;
  timeZone: string;
};

/** Pins that will get no figures, and why. */
const lostText = ({ gone, refused }: GatherWire): string =>
  [
    gone > 0 && `${countOf(gone, "pin")} ${gone === 1 ? "is" : "are"} no longer at Pinterest.`,
    refused > 0 && `Pinterest does not tell the figures of ${countOf(refused, "pin")}.`,
  ]
    .filter(Boolean)
    .join(" ");

const ageText = ({ oldest_at }: GatherWire, now: Date): string =>
  oldest_at === null ? "" : `, the oldest read ${agoText(oldest_at, now)}`;

/** The time by which ages are told: the server's for the first paint, then that of each answer. */
const useNow = (painted: Date, answer: unknown): Date => {
  const [now, setNow] = useState(painted);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer has its own age
  useEffect(() => setNow(new Date()), [answer]);
  return now;
};

function Progress({ gather, now: painted, timeZone }: Pick<GatherLineProps, "gather" | "now" | "timeZone">) {
  const now = useNow(painted, gather);
  const { state, published, counted, gone, refused, resumes_at, text } = gather;
  const looked = counted + gone + refused;
  const isUnderWay = state === "working" || state === "waiting";
  const isWhole = looked >= published;
  const waits = resumes_at && `It goes on at ${formatDateTime(resumes_at, timeZone)}.`;
  return (
    <div data-slot="gather" className="grid gap-2 text-sm/[1.5] text-ink-3 num">
      {isUnderWay && (
        <progress
          className={cn(
            "appearance-none w-full h-1.5 rounded-[3px] overflow-hidden bg-line text-growing",
            "[&::-webkit-progress-bar]:bg-line",
            "[&::-webkit-progress-value]:bg-growing [&::-webkit-progress-value]:transition-[inline-size]",
            "[&::-webkit-progress-value]:duration-(--dur-panel) [&::-webkit-progress-value]:ease-out",
            "[&::-moz-progress-bar]:bg-growing",
          )}
          value={looked}
          max={Math.max(1, published)}
          aria-label="Pins with figures"
        />
      )}
      <p>
        {isWhole
          ? `Figures of ${countOf(counted, "published pin")}`
          : `Figures of ${formatCount(counted)} of ${countOf(published, "published pin")}`}
        {ageText(gather, now)}. {state === "working" && !isWhole && "More arrive while you read."}
        {state === "waiting" && [text ?? "Pinterest has to be waited for.", waits].filter(Boolean).join(" ")}{" "}
        {lostText(gather)}
      </p>
      <span className="sr-only" role="status">
        {isUnderWay ? "Figures are being fetched." : `Figures of ${countOf(counted, "pin")} are here.`}
        {state === "lost" && " The connection to Pinterest is lost."}
      </span>
    </div>
  );
}

/** Whether asking again can help yet. Heard by readers: it is the only answer to a press that came too early. */
function AgainIn({ seconds }: { seconds: number | null }) {
  return (
    <span role="status">
      {seconds !== null && ` It can be asked again in ${seconds === 1 ? "one second" : `${seconds} seconds`}.`}
    </span>
  );
}

/** The connection is lost, which asking again does not change: what that means for the figures, and the way out. */
function LostConnection({ accountId, gather, headingId }: Pick<GatherLineProps, "accountId" | "gather" | "headingId">) {
  const { isBusy, refusal, connect } = useConnect();
  const focusBack = useFocusBack(headingId);
  return (
    <Banner
      tone="low"
      action={
        <Button size="sm" ref={focusBack} isBusy={isBusy} onClick={() => connect(accountId)}>
          Reconnect<span className="sr-only"> to fetch figures</span>
        </Button>
      }
    >
      {connectionText(gather)} {refusal}
    </Banner>
  );
}

/** How many pins' figures are here, how fresh they are, and what holds the others up. */
export function GatherLine({ accountId, gather, asking, headingId, now, timeZone }: GatherLineProps) {
  const focusBack = useFocusBack(headingId);
  if (gather.state === "off") {
    return (
      <Banner>
        This installation keeps no figures of pins, not even for a day, so that nothing can be counted by keyword. The
        account’s figures and its top pins are read live.
      </Banner>
    );
  }
  const isLost = gather.state === "lost";
  const why = asking.problem ?? (gather.state === "held" ? (gather.text ?? "Pinterest does not answer.") : null);
  return (
    <>
      {isLost && <LostConnection accountId={accountId} gather={gather} headingId={headingId} />}
      {why && !isLost && (
        <Banner
          tone="low"
          action={
            <Button size="sm" ref={focusBack} isBusy={asking.isAgain} onClick={asking.ask}>
              Try again<span className="sr-only">: missing figures</span>
            </Button>
          }
        >
          Missing figures are not being fetched. {why}
          <AgainIn seconds={asking.againInSeconds} />
        </Banner>
      )}
      <Progress gather={gather} now={now} timeZone={timeZone} />
    </>
  );
}
