import Link from "next/link";
import { LinkButton } from "#components/ui/link-button.tsx";
import { formatDollars } from "#lib/core/money.ts";
import { PLAN_CARDS, type PlanCard } from "#lib/features/billing/constants.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";

/** The way into a plan: the free one is open, the others are bought on the page of the prices. */
function PlanWay({ plan }: { plan: PlanCard }) {
  if (plan.priceTenthsOfCent === 0)
    return (
      <LinkButton href="/register" className="w-full">
        Start free
      </LinkButton>
    );
  return (
    <LinkButton href="/pricing" className="w-full">
      Choose {plan.name}
    </LinkButton>
  );
}

/** The four plans in a row; all about them stands on /pricing. */
export function PlanTeaser() {
  return (
    <section id="plans" className="site-width site-section" aria-labelledby="plans-title">
      <div className="section-head">
        <h2 id="plans-title" className="display text-d2">
          One credit, one pin
        </h2>
        <p className="lead">
          A standard pin costs {COST_CREDITS.standard} credit, a high quality pin {COST_CREDITS.high}. Credits for pins
          that fail come back by themselves.
        </p>
      </div>
      <ul className="teaser-row">
        {PLAN_CARDS.map((plan) => (
          <li key={plan.id} className="plan-teaser">
            <h3 className="text-ui font-semibold">{plan.name}</h3>
            <p className="teaser-price num">
              {formatDollars(plan.priceTenthsOfCent)} <small>per month</small>
            </p>
            <ul className="teaser-facts">
              {plan.features.map((feature) => (
                <li key={feature}>{feature}</li>
              ))}
            </ul>
            <PlanWay plan={plan} />
          </li>
        ))}
      </ul>
      <p className="mt-8 text-sm text-ink-2">
        <Link className="link" href="/pricing">
          See pricing
        </Link>
      </p>
    </section>
  );
}
