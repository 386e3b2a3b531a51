"use client";

import { useEffect, useRef, useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import { useCall } from "#lib/client/use-call.ts";
import { usePolling } from "#lib/client/use-polling.ts";
import {
  CHANGE_POLL_MS,
  CHANGE_POLLS_MAX,
  type PaidPlanSlug,
  SETTINGS_TEXTS,
} from "#lib/features/billing/constants.ts";
import type { ChangeWire, SubscriptionWire } from "#lib/features/billing/schema.ts";

const PATH = "/api/users/subscription/change/";

/** `waiting`: charged, and the plan is on its way; `late`: it took longer than one likes to watch. */
export type ChangeStage = "asking" | "asked" | "sending" | "waiting" | "late" | "failed";

/** Too many questions pass with time; every other refusal stays one. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;

type ChangePlan = {
  preview: ChangeWire["preview"];
  /** Why it could not be previewed, or not be changed. */
  problem: string | null;
  /** The server will not do it as things are: asking again changes nothing. */
  isRefused: boolean;
  stage: ChangeStage;
  confirm: () => void;
  /** Asks again what it costs. */
  retry: () => void;
};

/** Looks until a plan that was paid for is there; a null plan is not looked for. */
function usePlanArrival(
  plan: PaidPlanSlug | null,
  { onArrived, onLate }: { onArrived: (subscription: SubscriptionWire) => void; onLate: () => void },
): void {
  const { isSessionFailure } = useSessionEnd();
  const polls = useRef(0);
  usePolling((signal) => api.get<SubscriptionWire>("/api/users/subscription/", signal), {
    subject: plan,
    everyMs: CHANGE_POLL_MS,
    isDone: (subscription) => {
      polls.current += 1;
      if (polls.current >= CHANGE_POLLS_MAX) onLate();
      return subscription.plan.slug === plan;
    },
    onDone: onArrived,
    onError: (failure) => {
      if (!isSessionFailure(failure)) onLate();
    },
  });
}

/** Previews a change of plan and makes it. `onChanged` is told once the new plan is there, or scheduled. */
export function useChangePlan(plan: PaidPlanSlug, onChanged: (subscription: SubscriptionWire) => void): ChangePlan {
  const { isSessionFailure } = useSessionEnd();
  const { data, error, isLoading, reload } = useCall(`change-${plan}`, (signal) =>
    api.post<ChangeWire>(PATH, { plan, preview: true }, signal),
  );
  const [sending, setSending] = useState<"no" | "sending" | "waiting" | "late" | "failed">("no");
  const [refusal, setRefusal] = useState<string | null>(null);

  useEffect(() => {
    if (error !== null) isSessionFailure(error);
  }, [error, isSessionFailure]);

  usePlanArrival(sending === "waiting" ? plan : null, { onArrived: onChanged, onLate: () => setSending("late") });

  async function confirm(): Promise<void> {
    setSending("sending");
    setRefusal(null);
    try {
      const { subscription } = await api.post<ChangeWire>(PATH, { plan });
      if (subscription === null) return setSending("failed");
      if (subscription.confirmation === "pending") return setSending("waiting");
      onChanged(subscription);
    } catch (failure) {
      if (isSessionFailure(failure)) return;
      setRefusal(describeFailure(failure, SETTINGS_TEXTS.changeFailed));
      setSending("failed");
    }
  }

  const asking = isLoading ? "asking" : error === null ? "asked" : "failed";
  const asked = error === null ? null : describeFailure(error, SETTINGS_TEXTS.changeFailed);
  return {
    preview: data?.preview ?? null,
    problem: sending === "late" ? SETTINGS_TEXTS.changeLate : (refusal ?? asked),
    isRefused: isRefusal(error),
    stage: sending === "no" ? asking : sending,
    confirm: () => void confirm(),
    retry: reload,
  };
}
