"use client";

import Check from "lucide-react/icons/check";
import { usePathname } from "next/navigation";
import { type ComponentType, useEffect, useState, useSyncExternalStore } from "react";
import { browserTimeZone } from "#components/shared/browser-time-zone.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { getToken, onTokenChange } from "#lib/client/browser-storage.ts";
import { formatDollars } from "#lib/core/money.ts";
import { PRICING_TEXTS } from "#lib/features/billing/constants.ts";
import { PLAN_CARDS, type PlanCard, type PlanSlug } from "#lib/features/billing/plans.ts";
import { type PlanAction, plainLabelOf, planActionOf } from "./plan-state.ts";
import type { PanelView, PricingPanelProps } from "./pricing-panel.tsx";

const planNoteClass = cn(
  "flex gap-2 items-center justify-center min-h-(--h-control) rounded-control text-ui font-medium",
  "text-ink-2 border border-dashed border-line-2 [&>svg]:size-4 [&>svg]:text-accent-ink",
);

type SignedInProps = {
  plan: PlanSlug;
  action: PlanAction | null;
  isProcessing: boolean;
  isSettling: boolean;
  onPress: () => void;
};

function SignedIn({ plan, action, isProcessing, isSettling, onPress }: SignedInProps) {
  if (action?.kind === "current" || action?.kind === "next") {
    return (
      <p className={cn(planNoteClass, "session-stored")}>
        {action.kind === "current" && <Check aria-hidden="true" />}
        {action.label}
      </p>
    );
  }
  if (action?.kind === "end") {
    return (
      <LinkButton href="/app/settings#plan" className="session-stored">
        {action.label}
      </LinkButton>
    );
  }
  // Do not sell a plan that may already be paid for.
  if (isSettling && plan !== "free") return <p className={cn(planNoteClass, "session-stored")}>Payment in progress</p>;
  // Before the user is known, the free plan needs no button: they have it or a larger one.
  if (plan === "free") return <p className={cn(planNoteClass, "session-stored")}>Included</p>;
  return (
    <Button className="session-stored" isBusy={isProcessing} busyLabel="Processing..." onClick={onPress}>
      {action?.label ?? plainLabelOf(plan)}
    </Button>
  );
}

type PlanButtonProps = { plan: PlanSlug; view: PanelView | null; isWaiting: boolean; onPress: () => void };

/**
 * The button of a plan. The page is static, so it contains both variants and the root's `data-session` shows the right
 * one before the first paint.
 */
function PlanButton({ plan, view, isWaiting, onPress }: PlanButtonProps) {
  const path = usePathname();
  const subscription = view?.subscription;
  const action = subscription ? planActionOf(plan, subscription, browserTimeZone()) : null;
  return (
    <div data-slot="plan-action" className="grid mt-auto">
      <LinkButton
        href={plan === "free" ? "/register" : `/login?next=${encodeURIComponent(path)}`}
        variant={plan === "free" ? "primary" : "secondary"}
        className="session-none"
      >
        {plainLabelOf(plan)}
      </LinkButton>
      <SignedIn
        plan={plan}
        action={action}
        isProcessing={isWaiting || view?.processing === plan}
        isSettling={view?.isSettling ?? false}
        onPress={onPress}
      />
    </div>
  );
}

/** Longer local prices are set smaller so that the card keeps its height. */
const LONG_PRICE = 7;

function Price({ plan, local }: { plan: PlanCard; local: string | undefined }) {
  const text = local ?? formatDollars(plan.priceTenthsOfCent);
  return (
    <p
      className={cn(
        "text-sm text-ink-3",
        "[&>b]:mr-[3px] [&>b]:font-display [&>b]:text-[3.25rem]/none [&>b]:font-[340]",
        "[&>b]:tracking-[-0.03em] [&>b]:text-ink [&>b[data-long='true']]:text-[2.25rem]/[3.25rem]",
      )}
    >
      <b className="num" data-long={text.length > LONG_PRICE}>
        {text}
      </b>{" "}
      a month
    </p>
  );
}

type PlanProps = { plan: PlanCard; view: PanelView | null; isWaiting: boolean; onPress: () => void };

function Plan({ plan, view, isWaiting, onPress }: PlanProps) {
  const isCurrent = view?.subscription?.plan.slug === plan.id;
  return (
    <li
      data-slot="plan"
      className={cn(
        "relative flex flex-col gap-3.5 pt-6.5 pb-7.5 px-6 border-l border-line-2",
        "first:pl-0 first:border-l-0 last:pr-0",
        plan.isPopular && "bg-surface shadow-[inset_0_2px_0_var(--accent)]",
        "max-xl:[&:nth-child(n)]:px-6 max-xl:odd:border-l-0",
        "max-xl:[&:nth-child(n_+_3)]:border-t max-xl:[&:nth-child(n_+_3)]:border-line-2",
        "max-sm:[&:nth-child(n)]:border-l-0",
        plan.isPopular ? "max-sm:-mx-(--gutter) max-sm:[&:nth-child(n)]:px-(--gutter)" : "max-sm:[&:nth-child(n)]:px-0",
        "max-sm:[&:nth-child(n_+_2)]:border-t max-sm:[&:nth-child(n_+_2)]:border-line-2",
      )}
      data-popular={plan.isPopular}
      data-current={isCurrent}
    >
      <div
        className={cn(
          "flex flex-wrap gap-y-1.5 gap-x-2 items-center min-h-6",
          "[&>h3]:mr-auto [&>h3]:text-body [&>h3]:font-semibold",
        )}
      >
        <h3>{plan.name}</h3>
        {plan.isPopular && <Chip tone="published">Most popular</Chip>}
      </div>
      <Price plan={plan} local={plan.id === "free" ? undefined : view?.prices[plan.id]} />
      <p className="text-ui/[1.45] text-ink-2 xl:min-h-[2.9em]">{plan.description}</p>
      <ul
        className={cn(
          "grid gap-[9px] mb-2.5 text-ui/[1.4] [&>li]:flex [&>li]:gap-[9px]",
          "[&_svg]:size-4 [&_svg]:flex-none [&_svg]:mt-0.5 [&_svg]:text-accent-ink",
        )}
      >
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

/** Loads the part for signed-in users; visitors do not download it. */
const usePanel = (isSignedIn: boolean) => {
  const [Panel, setPanel] = useState<ComponentType<PricingPanelProps> | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!isSignedIn) return;
    import("./pricing-panel.tsx")
      .then(({ PricingPanel }) => setPanel(() => PricingPanel))
      .catch((error: unknown) => {
        console.error("The signed-in part of the page could not be loaded", error);
        setFailed(true);
      });
  }, [isSignedIn]);
  return { Panel: isSignedIn ? Panel : null, hasFailed };
};

/**
 * The four plans side by side. The static page is the same for everyone; current plan, buttons and local prices follow
 * for signed-in users.
 */
export function PlanColumns({ adPixelId }: { adPixelId: string | undefined }) {
  const isSignedIn = useSyncExternalStore(
    onTokenChange,
    () => getToken() !== null,
    () => false,
  );
  const { Panel, hasFailed } = usePanel(isSignedIn);
  const [panelView, setView] = useState<PanelView | null>(null);
  const [pressed, setPressed] = useState<{ plan: PlanSlug } | null>(null);
  const view = isSignedIn ? panelView : null;
  const waiting = view ? view.waiting : pressed?.plan;
  return (
    <>
      <div
        data-slot="pricing-panel"
        className="session-stored grid gap-2.5 content-start min-h-14.5 mb-5.5 max-sm:min-h-19.5"
      >
        {Panel && <Panel adPixelId={adPixelId} pressed={pressed} onView={setView} />}
        {hasFailed && (
          <Banner tone="failed" isAnnounced>
            {PRICING_TEXTS.loadFailed}
          </Banner>
        )}
      </div>
      <ul
        className={cn(
          "grid grid-cols-4 border-t border-t-line-2 border-b border-b-line-2 max-xl:grid-cols-[1fr_1fr]",
          "max-sm:grid-cols-1",
        )}
      >
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
