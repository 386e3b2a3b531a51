import Link from "next/link";
import { Chip } from "#components/ui/chip.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { formatDollars, formatDollarsAndCents } from "#lib/core/money.ts";
import { formatCount } from "#lib/core/text.ts";
import { PACK_CREDITS, PLAN_CARDS, type PlanCard, POPULAR_PACK } from "#lib/features/billing/constants.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { PLANS } from "#lib/features/identity/constants.ts";

type QuartersProps = {
  entries: readonly { title: string; words: string }[];
  /** In an order that counts: the columns bear numbers. */
  isNumbered?: boolean;
};

/** Short statements side by side, four to a row on wide screens. */
export function Quarters({ entries, isNumbered = false }: QuartersProps) {
  const List = isNumbered ? "ol" : "ul";
  return (
    <List className={isNumbered ? "quarters quarters-numbered" : "quarters"}>
      {entries.map(({ title, words }) => (
        <li key={title}>
          <h3 className="title-3">{title}</h3>
          <p>{words}</p>
        </li>
      ))}
    </List>
  );
}

/** What a pack of credits costs on each plan (R-CONST-06, R-CONST-07): price of one credit times credits. */
export function PackTable() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on phones the table scrolls sideways and must be reachable by key
    <section className="table-scroll" tabIndex={0} aria-label="Packs of credits">
      <table className="words-table num">
        <thead>
          <tr>
            <th scope="col">Credits</th>
            {PLAN_CARDS.map(({ id, name }) => (
              <th key={id} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {PACK_CREDITS.map((credits) => (
            <tr key={credits}>
              <th scope="row">
                {formatCount(credits)}
                {credits === POPULAR_PACK && <Chip className="pack-popular">Popular</Chip>}
              </th>
              {PLAN_CARDS.map(({ id }) => (
                <td key={id}>{formatDollarsAndCents(PLANS[id].extraCreditTenthsOfCent * credits)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

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
