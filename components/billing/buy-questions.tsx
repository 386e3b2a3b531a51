import Link from "next/link";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";

/** R-BUY-10, A-07, A-25 */
export function BuyQuestions() {
  return (
    <section className="buy-questions" aria-label="Questions">
      <div>
        <h3>What do credits pay for?</h3>
        <p>
          Credits are used when generating pins: {COST_CREDITS.high} for a high quality pin, {COST_CREDITS.standard} for
          a standard one. Pins that fail cost nothing.
        </p>
      </div>
      <div>
        <h3>Do they expire?</h3>
        <p>No, purchased credits do not expire. Your plan’s own credits are used first.</p>
      </div>
      <div>
        <h3>Can I get a refund?</h3>
        <p>
          There are no refunds for purchased credits. Subscription fees follow the{" "}
          <Link className="link" href="/refund-policy">
            refund policy
          </Link>
          .
        </p>
      </div>
    </section>
  );
}
