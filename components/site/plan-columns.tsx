import Check from "lucide-react/icons/check";
import { CLAIMS, COMING } from "#components/site/claims.ts";
import { Chip } from "#components/ui/chip.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { formatDollars } from "#lib/core/money.ts";
import { PLAN_CARDS, type PlanCard } from "#lib/features/billing/constants.ts";

function PlanAction({ plan }: { plan: PlanCard }) {
  if (plan.priceTenthsOfCent === 0) {
    return (
      <LinkButton href="/register" variant="primary">
        Start free
      </LinkButton>
    );
  }
  return CLAIMS.plansOnSale ? null : <p className="plan-later">Cannot be bought yet</p>;
}

function Plan({ plan }: { plan: PlanCard }) {
  const isComing = plan.priceTenthsOfCent > 0 && !CLAIMS.plansOnSale;
  return (
    <li className="plan" data-popular={plan.isPopular}>
      <div className="plan-name">
        <h3>{plan.name}</h3>
        {plan.isPopular && <Chip tone="published">Most popular</Chip>}
        {isComing && <Chip tone="draft">{COMING}</Chip>}
      </div>
      <p className="plan-price">
        <b className="num">{formatDollars(plan.priceTenthsOfCent)}</b> a month
      </p>
      <p className="plan-words">{plan.description}</p>
      <ul className="plan-features">
        {plan.features.map((feature) => (
          <li key={feature}>
            <Check aria-hidden="true" />
            {feature}
          </li>
        ))}
      </ul>
      <PlanAction plan={plan} />
    </li>
  );
}

/** The four plans side by side (R-PRICE-01, R-PRICE-04 to R-PRICE-08). */
export function PlanColumns() {
  return (
    <ul className="plans">
      {PLAN_CARDS.map((plan) => (
        <Plan key={plan.id} plan={plan} />
      ))}
    </ul>
  );
}
