import { ClosingWall } from "#components/site/closing-wall.tsx";
import { HeroWall } from "#components/site/hero-wall.tsx";
import { Pitches } from "#components/site/pitches.tsx";
import { ReceiptBand } from "#components/site/receipt-band.tsx";
import { Stages } from "#components/site/stages.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { PLANS } from "#lib/features/identity/constants.ts";
import { productFacts } from "../facts.ts";
import { headlineItalic } from "../fonts/headline.ts";

const NUMBER_WORDS = ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];

export default async function LandingPage() {
  const { name } = await productFacts();
  const freeCredits = PLANS.free.creditsPerPeriod;
  const freeInWords = NUMBER_WORDS[freeCredits] ?? String(freeCredits);
  return (
    <div className={headlineItalic.variable}>
      <section className="site-width hero">
        <h1 className="display text-d1">
          A few keywords&nbsp;in, a&nbsp;<em>wall of pins</em>&nbsp;up
        </h1>
        <div className="grid max-w-[520px] gap-6 pb-3">
          <p className="lead">
            {name} writes and draws pins from your keywords, waits for you to choose, and publishes each one to
            Pinterest once, at the hour you set.
          </p>
          <div>
            <LinkButton href="/register" variant="primary" size="lg">
              Start free
            </LinkButton>
          </div>
        </div>
      </section>
      <HeroWall />
      <Stages />
      <Pitches />
      <ReceiptBand name={name} />
      <ClosingWall
        headline={`${freeInWords} credits are waiting`}
        words={`Every month, on the free plan. Enough for ${freeInWords.toLowerCase()} pins to see how it feels.`}
      />
    </div>
  );
}
