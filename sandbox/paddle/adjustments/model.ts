import type { Dated } from "../model.ts";

export type AdjustmentAction = "refund" | "credit" | "chargeback" | "chargeback_reverse" | "chargeback_warning";

export interface Adjustment extends Dated {
  action: AdjustmentAction;
  type: "full" | "partial";
  transaction_id: string;
  subscription_id: string | null;
  customer_id: string;
  reason: string;
  credit_applied_to_balance: boolean | null;
  currency_code: string;
  status: "pending_approval" | "approved" | "rejected" | "reversed";
  items: AdjustmentItem[];
  totals: AdjustmentTotals;
  payout_totals: AdjustmentTotals | null;
}

export interface AdjustmentItem {
  id: string;
  item_id: string;
  type: "full" | "partial" | "tax" | "proration";
  amount: string;
  proration: null;
  totals: { subtotal: string; tax: string; total: string };
}

export interface AdjustmentTotals {
  subtotal: string;
  tax: string;
  total: string;
  fee: string;
  earnings: string;
  currency_code: string;
}
