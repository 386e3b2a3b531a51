"use client";

import CircleCheck from "lucide-react/icons/circle-check";
import CircleX from "lucide-react/icons/circle-x";
import Clock from "lucide-react/icons/clock";
import { useState } from "react";
import { LoadFailed } from "#components/shared/list-parts.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { FieldNote } from "#components/ui/field.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { api, describeFailure } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { formatMoney } from "#lib/core/money.ts";
import { formatDate } from "#lib/core/time.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { paymentLabelOf } from "#lib/features/billing/policy.ts";
import type { PaymentWire, UrlWire } from "#lib/features/billing/schema.ts";

/** Downloads the receipt of a payment. Its URL is short-lived, so it is requested on demand. */
function useReceipt(): {
  opening: string | null;
  /** Stays until the next attempt. */
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
      const { url } = await api.post<UrlWire>(`/api/users/payments/${encodeURIComponent(paymentId)}/receipt/`);
      // The provider sends a file, so this page stays open.
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

const INITIAL_COUNT = 8;

const STATUS_CHIPS = {
  Successful: { tone: "published", Icon: CircleCheck },
  Pending: { tone: "scheduled", Icon: Clock },
  Failed: { tone: "failed", Icon: CircleX },
} as const;

/** The response is a list, or an object with `results`. */
const toPayments = (answer: PaymentWire[] | { results?: PaymentWire[] }): PaymentWire[] =>
  Array.isArray(answer) ? answer : (answer.results ?? []);

type PaymentRowProps = {
  payment: PaymentWire;
  timeZone: string;
  isBusy: boolean;
  problem: string | null;
  onReceipt: () => void;
};

function PaymentRow({ payment, timeZone, isBusy, problem, onReceipt }: PaymentRowProps) {
  const { amount, currency, payment_method, payment_date, status, description, refunded } = payment;
  const label = paymentLabelOf(status);
  const { tone, Icon } = STATUS_CHIPS[label];
  const date = formatDate(payment_date, timeZone);
  return (
    <li
      className={cn(
        "grid grid-cols-[minmax(0,1fr)_auto] gap-y-2 gap-x-5 items-center py-3.5 text-ui border-t",
        "border-line first:pt-0 first:border-t-0",
      )}
    >
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{description}</p>
        <p className="num text-sm text-ink-3">
          <time dateTime={payment_date}>{date}</time>
          {payment_method && `, ${payment_method}`}
        </p>
      </div>
      <p className="num text-right font-medium">{formatMoney(amount, currency)}</p>
      <p className="flex flex-wrap gap-1.5">
        <Chip tone={tone} icon={<Icon aria-hidden="true" />}>
          {label}
        </Chip>
        {refunded > 0 && <Chip>{`Refunded ${formatMoney(refunded, currency)}`}</Chip>}
      </p>
      {payment.has_receipt && (
        <Button size="sm" className="justify-self-end" isBusy={isBusy} onClick={onReceipt}>
          Receipt
          <span className="sr-only">
            {" "}
            for {description}, {date}
          </span>
        </Button>
      )}
      {problem !== null && (
        <FieldNote isError className="col-span-full">
          {problem}
        </FieldNote>
      )}
    </li>
  );
}

type PaymentHistoryProps = { initial: readonly PaymentWire[]; timeZone: string };

/** All payments with their receipts, newest first. */
export function PaymentHistory({ initial, timeZone: initialTimeZone }: PaymentHistoryProps) {
  const timeZone = useTimeZone(initialTimeZone);
  const { data, error, isLoading, reload } = useApiQuery(
    queryKeys.payments,
    async (signal) =>
      toPayments(await api.get<PaymentWire[] | { results?: PaymentWire[] }>("/api/users/payments/", signal)),
    // The user may come back from the provider's pages.
    { refetchOnWindowFocus: "always" },
  );
  const [isExpanded, setExpanded] = useState(false);
  const { opening, failed, openReceipt } = useReceipt();
  const payments = data ?? initial;
  const shown = isExpanded ? payments : payments.slice(0, INITIAL_COUNT);

  return (
    <>
      {error !== null && (
        <LoadFailed className="mb-4" onRetry={reload}>
          {SETTINGS_TEXTS.paymentsFailed}
        </LoadFailed>
      )}
      {payments.length === 0 && error === null && (
        <p className="text-ink-3">No payments yet. Your payments and receipts will show up here.</p>
      )}
      {shown.length > 0 && (
        <ul aria-label="Payments" aria-busy={isLoading}>
          {shown.map((payment) => (
            <PaymentRow
              key={payment.id}
              payment={payment}
              timeZone={timeZone}
              isBusy={opening === payment.id}
              problem={failed?.paymentId === payment.id ? failed.text : null}
              onReceipt={() => openReceipt(payment.id)}
            />
          ))}
        </ul>
      )}
      {shown.length < payments.length && (
        <Button className="mt-4" onClick={() => setExpanded(true)}>
          Show all {payments.length} payments
        </Button>
      )}
    </>
  );
}
