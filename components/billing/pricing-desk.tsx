"use client";

import { useRouter } from "next/navigation";
import { type Ref, useEffect, useMemo, useRef, useState } from "react";
import { isPaid, onPlanNews, planActionOf, planSentence } from "#components/billing/plan-state.ts";
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
import type { CatalogueWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import type { UserWire } from "#lib/features/identity/schema.ts";
import { ChangePlanDialog } from "./change-plan-dialog.tsx";
import { type LocalPrices, useLocalPrices, usePlanWatch, type Watched } from "./plan-watch.ts";

const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** What the cards show to whoever is signed in. */
export interface DeskView {
  /** Null while it is not known which plan somebody has. */
  subscription: SubscriptionWire | null;
  /** The card whose press waits until it is known who presses. */
  waiting: PlanSlug | null;
  processing: PlanSlug | null;
  /** Something may be paid already: nothing is sold beside it. */
  isSettling: boolean;
  prices: LocalPrices;
}

export type PricingDeskProps = {
  adPixelId: string | undefined;
  /** The card whose button was pressed; each press is an object of its own. */
  pressed: { plan: PlanSlug } | null;
  onView: (view: DeskView) => void;
};

const LATE =
  "Your payment went through, and the plan is still on its way. It will show in Settings; if it does not, please contact support.";

/** The calls of the page (R-PRICE-09, R-PRICE-10). A 401 means that nobody is signed in, and shows no error. */
const useKnown = () => {
  const quiet = { meta: { isQuiet: true } };
  const me = useApiQuery(queryKeys.me, (signal) => api.get<UserWire>("/api/users/me/", signal), quiet);
  const known = useSubscriptionQuery(true);
  const catalogue = useApiQuery(
    queryKeys.plans,
    (signal) => api.get<CatalogueWire>("/api/users/plans/", signal),
    quiet,
  );
  const setSubscription = useSetSubscription();
  useEffect(() => onPlanNews(setSubscription), [setSubscription]);
  const errors: string[] = [];
  if (me.error !== null) errors.push(PRICING_TEXTS.authFailed);
  if (known.error !== null && !isAbsent(known.error)) errors.push(PRICING_TEXTS.subscriptionFailed);
  if (catalogue.error !== null) errors.push(PRICING_TEXTS.loadFailed);
  return {
    me: me.data,
    isAsking: me.isLoading || known.isLoading || catalogue.isLoading,
    subscription: known.data,
    setSubscription,
    catalogue: catalogue.data,
    errors,
  };
};

type CurrentPlanProps = { subscription: SubscriptionWire; focusRef: Ref<HTMLDivElement> };

function CurrentPlan({ subscription, focusRef }: CurrentPlanProps) {
  const { text, isProblem } = planSentence(subscription, browserTimeZone());
  return (
    <Banner
      tone={isProblem ? "failed" : "plain"}
      className="items-center"
      focusRef={focusRef}
      action={
        <LinkButton href="/app/settings#plan" size="sm">
          {isProblem ? "Mend it in Settings" : "Settings"}
        </LinkButton>
      }
    >
      <b>Your plan: {subscription.plan.name}.</b> {text}
    </Banner>
  );
}

/** What is said of a plan that is looked for; null where perhaps nothing was paid and nobody needs to wait. */
const watchText = ({ how, kind }: Watched, isLate: boolean): string | null => {
  if (how === "left") return null;
  if (how === "unsure") return "Looking whether your payment went through …";
  if (isLate) return LATE;
  if (kind === "change") return "Paid. Your plan changes in a moment …";
  return "Your payment went through. The plan shows here by itself as soon as it has settled.";
};

/** Says that a plan was bought or changed, and paints anew what the signed-in area painted for the former one. */
const useAnnounce = () => {
  const notice = useNotice();
  const router = useRouter();
  return (after: SubscriptionWire, wanted: PaidPlanSlug): void => {
    const { name } = PLANS[wanted];
    const on = after.end_date ? `on ${formatDate(after.end_date, browserTimeZone())}` : "with the next renewal";
    if (after.next_plan === wanted) notice.success(`Your plan changes to ${name} ${on}.`);
    else notice.success(upgradedText(name));
    router.refresh();
  };
};

/** The banner of the present plan takes the focus whose button went away with what it did. */
const useBannerFocus = () => {
  const banner = useRef<HTMLDivElement>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const focused = document.activeElement;
    const isLost = focused === document.body || focused?.closest("[data-slot=plan-action]");
    if (turn > 0 && isLost) banner.current?.focus({ preventScroll: true });
  }, [turn]);
  return { banner, focusBanner: () => setTurn((before) => before + 1) };
};

function Desk({ adPixelId, pressed, onView }: PricingDeskProps) {
  const { me, isAsking, subscription, setSubscription, catalogue, errors } = useKnown();
  const checkout = useCheckout(me && catalogue ? catalogue.checkout : null);
  const prices = useLocalPrices(checkout.paddle, catalogue);
  const announce = useAnnounce();
  const { banner, focusBanner } = useBannerFocus();
  const watch = usePlanWatch((after, { kind, plan }) => {
    setSubscription(after);
    // A payment that could not be confirmed has its red words; the banner tells how it went on.
    if (upgrade.error === null) announce(after, kind === "buy" && isPaid(after.plan.slug) ? after.plan.slug : plan);
    focusBanner();
  });
  const upgrade = useUpgrade({
    checkout,
    email: me?.email ?? null,
    adPixelId,
    onSubscription: setSubscription,
    onBought: focusBanner,
    onUnsettled: (how, plan) => watch.begin({ how, plan, kind: "buy" }),
  });
  const [changing, setChanging] = useState<PaidPlanSlug | null>(null);
  const hasChanged = useRef(false);
  const [done, setDone] = useState<{ plan: PlanSlug } | null>(null);
  const { processing } = upgrade;
  const { watched, isLate } = watch;
  const isSettling =
    watched?.kind === "buy" && watched.how !== "left" && (subscription?.plan.slug ?? "free") === "free";
  const waiting = pressed && pressed !== done && isAsking ? pressed.plan : null;

  const view = useMemo(
    () => ({ subscription, waiting, processing, isSettling, prices }),
    [subscription, waiting, processing, isSettling, prices],
  );
  useEffect(() => onView(view), [view, onView]);

  useEffect(() => {
    if (!pressed || pressed === done || isAsking) return;
    setDone(pressed);
    const { plan } = pressed;
    if (plan === "free") return;
    const action = subscription && planActionOf(plan, subscription, browserTimeZone());
    if (action?.kind === "change") {
      hasChanged.current = false;
      setChanging(plan);
    }
    if (isSettling || (action !== null && action.kind !== "buy")) return;
    watch.end();
    void upgrade.buy(plan);
  }, [pressed, done, isAsking, subscription, isSettling, upgrade, watch]);

  function showChanged(after: SubscriptionWire): void {
    hasChanged.current = true;
    setSubscription(after);
    if (changing) announce(after, changing);
    setChanging(null);
  }
  function leaveChange(isPaidFor: boolean): void {
    if (changing && isPaidFor) watch.begin({ how: "paid", plan: changing, kind: "change" });
    setChanging(null);
  }

  const failed = checkout.state === "failed" ? PRICING_TEXTS.loadFailed : null;
  const told = [...errors, upgrade.error ?? failed].filter((text) => text !== null);
  const news = watched && watchText(watched, isLate);
  return (
    <>
      {subscription && <CurrentPlan subscription={subscription} focusRef={banner} />}
      {[...new Set(told)].map((text) => (
        <Banner key={text} tone="failed" isAnnounced>
          {text}
        </Banner>
      ))}
      {news && (
        <Banner tone="plain" isAnnounced>
          {news}
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
 * The part of Pricing for whoever is signed in: the banner of the present plan, the checkout, changes of plan, and what
 * goes wrong (R-PRICE-01, R-PRICE-09 to R-PRICE-21). Fetched only with a stored login, so that visitors wait for none of it.
 */
export function PricingDesk(props: PricingDeskProps) {
  return (
    <ServerState>
      <Desk {...props} />
    </ServerState>
  );
}
