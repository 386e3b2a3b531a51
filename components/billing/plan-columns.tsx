"use client";

import Check from "lucide-react/icons/check";
import { type ComponentType, useEffect, useState, useSyncExternalStore } from "react";
import { PlanButton } from "#components/billing/plan-button.tsx";
import type { DeskView, PricingDeskProps } from "#components/billing/pricing-desk.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { getToken, onTokenChange } from "#lib/client/stored-token.ts";
import { formatDollars } from "#lib/core/money.ts";
import { PLAN_CARDS, type PlanCard, PRICING_TEXTS } from "#lib/features/billing/constants.ts";
import type { PlanSlug } from "#lib/features/identity/constants.ts";

/** Local amounts can be long; beyond this they are set smaller, so that a card keeps its height. */
const LONG_PRICE = 7;

function Price({ plan, local }: { plan: PlanCard; local: string | undefined }) {
  const text = local ?? formatDollars(plan.priceTenthsOfCent);
  return (
    <p className="plan-price">
      <b className="num" data-long={text.length > LONG_PRICE}>
        {text}
      </b>{" "}
      a month
    </p>
  );
}

type PlanProps = { plan: PlanCard; view: DeskView | null; isWaiting: boolean; onPress: () => void };

function Plan({ plan, view, isWaiting, onPress }: PlanProps) {
  const isCurrent = view?.subscription?.plan.slug === plan.id;
  return (
    <li className="plan" data-popular={plan.isPopular} data-current={isCurrent}>
      <div className="plan-name">
        <h3>{plan.name}</h3>
        {plan.isPopular && <Chip tone="published">Most popular</Chip>}
      </div>
      <Price plan={plan} local={plan.id === "free" ? undefined : view?.prices[plan.id]} />
      <p className="plan-words">{plan.description}</p>
      <ul className="plan-features">
        {plan.features.map((feature) => (
          <li key={feature}>
            <Check aria-hidden="true" />
            {feature}
          </li>
        ))}
      </ul>
      <PlanButton plan={plan.id} view={view} isWaiting={isWaiting} onPress={onPress} />
    </li>
  );
}

/** The part for whoever is signed in; nobody else waits for it. */
const useDesk = (isSignedIn: boolean) => {
  const [Desk, setDesk] = useState<ComponentType<PricingDeskProps> | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!isSignedIn) return;
    import("#components/billing/pricing-desk.tsx")
      .then(({ PricingDesk }) => setDesk(() => PricingDesk))
      .catch((error: unknown) => {
        console.error("The signed-in part of the page could not be loaded", error);
        setFailed(true);
      });
  }, [isSignedIn]);
  return { Desk: isSignedIn ? Desk : null, hasFailed };
};

/**
 * The four plans side by side (R-PRICE-01, R-PRICE-04 to R-PRICE-08). Painted once for everybody; with a stored login the
 * present plan, the buttons and the local prices follow.
 */
export function PlanColumns({ adPixelId }: { adPixelId: string | undefined }) {
  const isSignedIn = useSyncExternalStore(
    onTokenChange,
    () => getToken() !== null,
    () => false,
  );
  const { Desk, hasFailed } = useDesk(isSignedIn);
  const [shown, setView] = useState<DeskView | null>(null);
  const [pressed, setPressed] = useState<{ plan: PlanSlug } | null>(null);
  const view = isSignedIn ? shown : null;
  const waiting = view ? view.waiting : pressed?.plan;
  return (
    <>
      <div className="pricing-desk session-stored">
        {Desk && <Desk adPixelId={adPixelId} pressed={pressed} onView={setView} />}
        {hasFailed && (
          <Banner tone="failed" isAnnounced>
            {PRICING_TEXTS.loadFailed}
          </Banner>
        )}
      </div>
      <ul className="plans">
        {PLAN_CARDS.map((plan) => (
          <Plan
            key={plan.id}
            plan={plan}
            view={view}
            isWaiting={!hasFailed && waiting === plan.id}
            onPress={() => setPressed({ plan: plan.id })}
          />
        ))}
      </ul>
    </>
  );
}
