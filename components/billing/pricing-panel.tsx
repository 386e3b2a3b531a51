"use client";

import { useRouter } from "next/navigation";
import { type Ref, useEffect, useMemo, useRef, useState } from "react";
import { isPaid, onPlanChange, planActionOf, planSummary } from "#components/billing/plan-state.ts";
import { useCheckout } from "#components/billing/use-checkout.ts";
import { useSetSubscription, useSubscriptionQuery } from "#components/billing/use-subscription.ts";
import { useUpgrade } from "#components/billing/use-upgrade.ts";
import { browserTimeZone } from "#components/shared/browser-time-zone.tsx";
import { ServerState } from "#components/shared/server-state.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { ApiError, api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { formatDate } from "#lib/core/time.ts";
import { PRICING_TEXTS, upgradedText } from "#lib/features/billing/constants.ts";
import { type PaidPlanSlug, PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import type { CatalogWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import type { UserWire } from "#lib/features/identity/schema.ts";
import { ChangePlanDialog } from "./change-plan-dialog.tsx";
import { type AwaitedPlan, type LocalPrices, useLocalPrices, usePlanWatch } from "./plan-watch.ts";

const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** What the plan cards show to signed-in users. */
export interface PanelView {
  /** Null while the plan is unknown. */
  subscription: SubscriptionWire | null;
  /** The card that was pressed before the plan was known. */
  waiting: PlanSlug | null;
  processing: PlanSlug | null;
  /** A plan may already be paid for, so none is sold. */
  isSettling: boolean;
  prices: LocalPrices;
}

export type PricingPanelProps = {
  adPixelId: string | undefined;
  /** A new object for each press. */
  pressed: { plan: PlanSlug } | null;
  onView: (view: PanelView) => void;
};

const LATE =
  "Your payment went through, but your plan isn't active yet. It'll show up in Settings; if it doesn't, please contact support.";

/** A 401 means that the user is not signed in and shows no error. */
const usePricingData = () => {
  const quiet = { meta: { isQuiet: true } };
  const me = useApiQuery(queryKeys.me, (signal) => api.get<UserWire>("/api/users/me/", signal), quiet);
  const subscriptionQuery = useSubscriptionQuery(true);
  const catalog = useApiQuery(queryKeys.plans, (signal) => api.get<CatalogWire>("/api/users/plans/", signal), quiet);
  const setSubscription = useSetSubscription();
  useEffect(() => onPlanChange(setSubscription), [setSubscription]);
  const errors: string[] = [];
  if (me.error !== null) errors.push(PRICING_TEXTS.authFailed);
  if (subscriptionQuery.error !== null && !isAbsent(subscriptionQuery.error))
    errors.push(PRICING_TEXTS.subscriptionFailed);
  if (catalog.error !== null) errors.push(PRICING_TEXTS.loadFailed);
  return {
    me: me.data,
    isLoading: me.isLoading || subscriptionQuery.isLoading || catalog.isLoading,
    subscription: subscriptionQuery.data,
    setSubscription,
    catalog: catalog.data,
    errors,
  };
};

type CurrentPlanProps = { subscription: SubscriptionWire; focusRef: Ref<HTMLDivElement> };

function CurrentPlan({ subscription, focusRef }: CurrentPlanProps) {
  const { text, isProblem } = planSummary(subscription, browserTimeZone());
  return (
    <Banner
      tone={isProblem ? "failed" : "plain"}
      className="items-center"
      focusRef={focusRef}
      action={
        <LinkButton href="/app/settings#plan" size="sm">
          {isProblem ? "Fix it in Settings" : "Settings"}
        </LinkButton>
      }
    >
      <b>Your plan: {subscription.plan.name}.</b> {text}
    </Banner>
  );
}

/** The text about an awaited plan; null when probably nothing was paid. */
const watchText = ({ how, kind }: AwaitedPlan, isLate: boolean): string | null => {
  if (how === "left") return null;
  if (how === "unsure") return "Checking whether your payment went through…";
  if (isLate) return LATE;
  if (kind === "change") return "Payment received. Your plan will update in a moment…";
  return "Your payment went through. Your plan will show up here automatically in a few minutes.";
};

/** Announces the new plan and refreshes what the server rendered for the old one. */
const useAnnounce = () => {
  const notice = useNotice();
  const router = useRouter();
  return (after: SubscriptionWire, wanted: PaidPlanSlug): void => {
    const { name } = PLANS[wanted];
    const on = after.end_date ? `on ${formatDate(after.end_date, browserTimeZone())}` : "at your next renewal";
    if (after.next_plan === wanted) notice.success(`Your plan will change to ${name} ${on}.`);
    else notice.success(upgradedText(name));
    router.refresh();
  };
};

/** Moves the focus to the banner when the pressed button has been removed. */
const useBannerFocus = () => {
  const banner = useRef<HTMLDivElement>(null);
  const [requests, setRequests] = useState(0);
  useEffect(() => {
    const focused = document.activeElement;
    const isFocusLost = focused === document.body || focused?.closest("[data-slot=plan-action]");
    if (requests > 0 && isFocusLost) banner.current?.focus({ preventScroll: true });
  }, [requests]);
  return { banner, focusBanner: () => setRequests((before) => before + 1) };
};

function SignedInPanel({ adPixelId, pressed, onView }: PricingPanelProps) {
  const { me, isLoading, subscription, setSubscription, catalog, errors } = usePricingData();
  const checkout = useCheckout(me && catalog ? catalog.checkout : null);
  const prices = useLocalPrices(checkout.paddle, catalog);
  const announce = useAnnounce();
  const { banner, focusBanner } = useBannerFocus();
  const watch = usePlanWatch((after, { kind, plan }) => {
    setSubscription(after);
    // An unconfirmed payment already shows an error; the banner shows the result.
    if (upgrade.error === null) announce(after, kind === "buy" && isPaid(after.plan.slug) ? after.plan.slug : plan);
    focusBanner();
  });
  const upgrade = useUpgrade({
    checkout,
    email: me?.email ?? null,
    adPixelId,
    onSubscription: setSubscription,
    onBought: focusBanner,
    onUnsettled: (how, plan) => watch.start({ how, plan, kind: "buy" }),
  });
  const [changing, setChanging] = useState<PaidPlanSlug | null>(null);
  const hasChanged = useRef(false);
  const [done, setDone] = useState<{ plan: PlanSlug } | null>(null);
  const { processing } = upgrade;
  const { awaited, isLate } = watch;
  const isSettling =
    awaited?.kind === "buy" && awaited.how !== "left" && (subscription?.plan.slug ?? "free") === "free";
  const waiting = pressed && pressed !== done && isLoading ? pressed.plan : null;

  const view = useMemo(
    () => ({ subscription, waiting, processing, isSettling, prices }),
    [subscription, waiting, processing, isSettling, prices],
  );
  useEffect(() => onView(view), [view, onView]);

  useEffect(() => {
    if (!pressed || pressed === done || isLoading) return;
    setDone(pressed);
    const { plan } = pressed;
    if (plan === "free") return;
    const action = subscription && planActionOf(plan, subscription, browserTimeZone());
    if (action?.kind === "change") {
      hasChanged.current = false;
      setChanging(plan);
    }
    if (isSettling || (action !== null && action.kind !== "buy")) return;
    watch.stop();
    void upgrade.buy(plan);
  }, [pressed, done, isLoading, subscription, isSettling, upgrade, watch]);

  function showChanged(after: SubscriptionWire): void {
    hasChanged.current = true;
    setSubscription(after);
    if (changing) announce(after, changing);
    setChanging(null);
  }
  function leaveChange(isPaidFor: boolean): void {
    if (changing && isPaidFor) watch.start({ how: "paid", plan: changing, kind: "change" });
    setChanging(null);
  }

  const failed = checkout.state === "failed" ? PRICING_TEXTS.loadFailed : null;
  const problems = [...errors, upgrade.error ?? failed].filter((text) => text !== null);
  const watchMessage = awaited && watchText(awaited, isLate);
  return (
    <>
      {subscription && <CurrentPlan subscription={subscription} focusRef={banner} />}
      {[...new Set(problems)].map((text) => (
        <Banner key={text} tone="failed" isAnnounced>
          {text}
        </Banner>
      ))}
      {watchMessage && (
        <Banner tone="plain" isAnnounced>
          {watchMessage}
        </Banner>
      )}
      <ChangePlanDialog
        plan={changing}
        onClose={leaveChange}
        onChanged={showChanged}
        focusAfter={() => (hasChanged.current ? banner.current : null)}
      />
    </>
  );
}

/**
 * The signed-in part of the pricing page: current plan, checkout, plan changes and errors. Loaded only for signed-in
 * users.
 */
export function PricingPanel(props: PricingPanelProps) {
  return (
    <ServerState>
      <SignedInPanel {...props} />
    </ServerState>
  );
}
