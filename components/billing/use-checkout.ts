"use client";

import type { Paddle } from "@paddle/paddle-js";
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError, api, describeFailure } from "#lib/client/api.ts";
import type { CatalogWire, CheckoutInput, CheckoutWire } from "#lib/features/billing/schema.ts";
import { loadCheckout, onCheckoutEvent } from "./load-checkout.ts";
import { type CheckoutOutcome, type Completion, openCheckout } from "./open-checkout.ts";

type CheckoutState = "loading" | "ready" | "failed";

export interface CheckoutHandle {
  state: CheckoutState;
  /** Null until the checkout has loaded. */
  paddle: Paddle | null;
  /** Waits for the checkout and retries a failed load; null when it is unavailable. */
  ready: () => Promise<Paddle | null>;
  open: (paddle: Paddle, order: CheckoutWire) => Promise<CheckoutOutcome>;
  /** Aborted when the user leaves the screen. */
  leaveSignal: () => AbortSignal;
}

const currentTheme = (): "light" | "dark" => {
  const { classList } = document.documentElement;
  if (classList.contains("dark")) return "dark";
  return !classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
};

/** Loads the provider's checkout; without settings nothing is loaded. */
export const useCheckout = (settings: CatalogWire["checkout"] | null): CheckoutHandle => {
  const [paddle, setPaddle] = useState<Paddle | null>(null);
  const [state, setState] = useState<CheckoutState>("loading");
  const controller = useRef<AbortController>(new AbortController());
  const settingsRef = useRef(settings);
  useEffect(() => {
    settingsRef.current = settings;
  }, [settings]);

  useEffect(() => {
    // React mounts twice in development.
    if (controller.current.signal.aborted) controller.current = new AbortController();
    const { current } = controller;
    return () => current.abort();
  }, []);

  const ready = useCallback(async (): Promise<Paddle | null> => {
    if (!settingsRef.current) return null;
    try {
      const loaded = await loadCheckout(settingsRef.current);
      setPaddle(loaded);
      setState("ready");
      return loaded;
    } catch (error) {
      console.error("The checkout is not available", error);
      setState("failed");
      return null;
    }
  }, []);

  const hasSettings = settings !== null;
  useEffect(() => {
    if (hasSettings) void ready();
  }, [hasSettings, ready]);

  const open = useCallback(
    (loaded: Paddle, order: CheckoutWire) =>
      openCheckout(loaded, order, {
        theme: currentTheme(),
        listen: onCheckoutEvent,
        signal: controller.current.signal,
      }),
    [],
  );
  const leaveSignal = useCallback(() => controller.current.signal, []);
  return { state, paddle, ready, open, leaveSignal };
};

interface PaymentOptions {
  checkout: CheckoutHandle;
  /** Errors: the checkout is unavailable; it failed; the server did not confirm the payment. */
  texts: { notReady: string; failed: string; confirmFailed: string };
  /** Handles an ended session and returns true; ignores other errors. */
  isSessionFailure: (error: unknown) => boolean;
}

/**
 * A checkout without a confirmed result. `left`: no sign of a payment; `unsure`: a payment had started or was not
 * confirmed; `paid`: not settled yet.
 */
export type Unsettled = "left" | "unsure" | "paid";

interface PaymentSteps {
  /** Checks the recorded order before the overlay opens; false cancels it. */
  review?: (order: CheckoutWire) => boolean;
  /** Confirms the payment with the server and shows the result. */
  confirm: (completion: Completion, signal: AbortSignal) => Promise<void>;
  /** The overlay is closed and a payment is possible. */
  onUnsettled: (how: Unsettled) => void;
}

interface Payment {
  isProcessing: boolean;
  error: string | null;
  setError: (text: string | null) => void;
  /** Does nothing while another payment is in progress. */
  pay: (input: CheckoutInput, steps: PaymentSteps) => Promise<void>;
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500;

/** Runs one payment from press to result, and is ready for the next one whatever happens. */
export const usePayment = ({ checkout, texts, isSessionFailure }: PaymentOptions): Payment => {
  const [isProcessing, setProcessing] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isBusy = useRef(false);

  const run = async (input: CheckoutInput, { review, confirm, onUnsettled }: PaymentSteps): Promise<string | null> => {
    const paddle = await checkout.ready();
    if (!paddle) return texts.notReady;
    const order = await api.post<CheckoutWire>("/api/users/checkout/", input);
    if (review && !review(order)) return null;
    const outcome = await checkout.open(paddle, order);
    if (outcome.kind !== "completed") {
      onUnsettled(outcome.kind === "closed" || outcome.kind === "failed" ? "left" : "unsure");
      if (outcome.kind === "closed" || outcome.kind === "interrupted") return null;
      console.error("The checkout failed", outcome.detail);
      return outcome.kind === "failed" ? texts.failed : texts.confirmFailed;
    }
    try {
      await confirm(outcome.completion, checkout.leaveSignal());
      return null;
    } catch (failure) {
      if (isSessionFailure(failure)) return null;
      onUnsettled("unsure");
      return texts.confirmFailed;
    }
  };

  const pay = async (input: CheckoutInput, steps: PaymentSteps): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    setError(null);
    setProcessing(true);
    try {
      setError(await run(input, steps));
    } catch (failure) {
      if (isSessionFailure(failure)) return;
      setError(isRefusal(failure) ? describeFailure(failure, texts.failed) : texts.failed);
    } finally {
      isBusy.current = false;
      setProcessing(false);
    }
  };

  return { isProcessing, error, setError, pay };
};
