"use client";

import { useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { api, describeFailure } from "#lib/client/api.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import type { AddressWire } from "#lib/features/billing/schema.ts";

/** Has the browser download the receipt of a payment; its address is asked for when it is wanted. */
export function useReceipt(): {
  opening: string | null;
  /** Whose receipt could not be had, and why; it stays until the next try. */
  failed: { paymentId: string; text: string } | null;
  openReceipt: (paymentId: string) => void;
} {
  const [opening, setOpening] = useState<string | null>(null);
  const [failed, setFailed] = useState<{ paymentId: string; text: string } | null>(null);
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();

  async function open(paymentId: string): Promise<void> {
    setOpening(paymentId);
    setFailed(null);
    try {
      const { url } = await api.post<AddressWire>(`/api/users/payments/${encodeURIComponent(paymentId)}/receipt/`);
      // The provider sends it as a file: this page stays.
      window.location.assign(url);
    } catch (error) {
      if (isSessionFailure(error)) return;
      const text = describeFailure(error, SETTINGS_TEXTS.receiptFailed);
      notice.error(text);
      setFailed({ paymentId, text });
    } finally {
      setOpening(null);
    }
  }

  return { opening, failed, openReceipt: (paymentId) => void open(paymentId) };
}
