import "server-only";
import { z } from "zod";
import type { PaymentFact } from "#lib/integrations/payments/port.ts";

const storedMoment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const storedPeriod = z.object({ startsAt: storedMoment, endsAt: storedMoment });
const storedHints = z.object({ userId: z.string().nullable(), purchaseRef: z.string().nullable() });

const storedTransaction = z.object({
  id: z.string(),
  status: z.enum(["draft", "ready", "billed", "paid", "completed", "canceled", "past_due"]),
  origin: z.string(),
  customerId: z.string().nullable(),
  subscriptionId: z.string().nullable(),
  customData: storedHints,
  items: z.array(z.object({ priceId: z.string(), quantity: z.number() })),
  billingPeriod: storedPeriod.nullable(),
  currency: z.string(),
  totalMinor: z.number(),
  method: z.string().nullable(),
  failure: z.string().nullable(),
  invoiceNumber: z.string().nullable(),
  createdAt: storedMoment,
  billedAt: storedMoment.nullable(),
  updatedAt: storedMoment,
});

const storedSubscription = z.object({
  id: z.string(),
  status: z.enum(["active", "trialing", "past_due", "paused", "canceled"]),
  customerId: z.string(),
  customData: storedHints,
  priceId: z.string().nullable(),
  currentPeriod: storedPeriod.nullable(),
  nextBilledAt: storedMoment.nullable(),
  scheduledChange: z.object({ action: z.enum(["cancel", "pause", "resume"]), effectiveAt: storedMoment }).nullable(),
  startedAt: storedMoment.nullable(),
  pausedAt: storedMoment.nullable(),
  canceledAt: storedMoment.nullable(),
  updatedAt: storedMoment,
});

const storedAdjustment = z.object({
  id: z.string(),
  action: z.string(),
  status: z.string(),
  transactionId: z.string(),
  currency: z.string(),
  totalMinor: z.number(),
  createdAt: storedMoment,
  updatedAt: storedMoment,
});

const storedFact: z.ZodType<PaymentFact> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("transaction"), transaction: storedTransaction }),
  z.object({ kind: z.literal("subscription"), subscription: storedSubscription }),
  z.object({ kind: z.literal("adjustment"), adjustment: storedAdjustment }),
]);

/** The fact of a stored event, as the table holds it: moments as text. @throws ZodError for anything else. */
export const readFact = (stored: unknown): PaymentFact => storedFact.parse(stored);
