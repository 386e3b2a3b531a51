"use client";

import { useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { api, describeFailure } from "#lib/client/api.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import type { AddressWire, CancelWire, SubscriptionWire } from "#lib/features/billing/schema.ts";

type PlanCalls = {
  /** What the last of them failed with; it stays until the next try. */
  problem: string | null;
  setProblem: (text: string | null) => void;
  isKeeping: boolean;
  /** Takes a cancellation back, or has a paused plan go on. */
  keep: () => Promise<void>;
  isOpeningPortal: boolean;
  /** Goes to the provider's page where the way of paying is changed. */
  openPortal: () => void;
};

/** What the card of the plan asks the server to do without asking the person again. */
export function usePlanCalls(onChanged: (subscription: SubscriptionWire) => void): PlanCalls {
  const [busy, setBusy] = useState<"keep" | "portal" | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();

  async function run(name: "keep" | "portal", call: () => Promise<void>, fallback: string): Promise<void> {
    setBusy(name);
    setProblem(null);
    try {
      await call();
    } catch (error) {
      if (isSessionFailure(error)) return;
      const text = describeFailure(error, fallback);
      notice.error(text);
      setProblem(text);
    } finally {
      setBusy(null);
    }
  }

  async function keep(): Promise<void> {
    const { message, subscription } = await api.post<CancelWire>("/api/users/subscription/resume/");
    onChanged(subscription);
    notice.success(message);
  }

  async function openPortal(): Promise<void> {
    const { url } = await api.post<AddressWire>("/api/users/subscription/portal/");
    window.location.assign(url);
  }

  return {
    problem,
    setProblem,
    isKeeping: busy === "keep",
    keep: () => run("keep", keep, SETTINGS_TEXTS.keepFailed),
    isOpeningPortal: busy === "portal",
    openPortal: () => void run("portal", openPortal, SETTINGS_TEXTS.portalFailed),
  };
}
