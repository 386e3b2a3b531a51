import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { ArticleNotes } from "#components/site/blog/articles-list.tsx";
import { PlainNumbers, ReceiptBand, ScreenStories, Stages } from "#components/site/landing.tsx";
import { Pitches } from "#components/site/pitches.tsx";
import { PlanTeaser } from "#components/site/plan-teaser.tsx";
import { PageThings } from "#components/site/structured-data.tsx";
import { ClosingWall, HeroWall } from "#components/site/walls.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { PLANS } from "#lib/features/billing/plans.ts";
import { listArticles } from "#lib/server/articles.ts";
import { productFacts } from "../facts.ts";
import { pageMetadata } from "../metadata.ts";

const NUMBER_WORDS = ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];
const NOTES = 3;

export const generateMetadata = () => pageMetadata("/");

/** R-ROUTE-01, R-LAND-01, R-LAND-02 */
export default async function LandingPage() {
  const [facts, articles] = await Promise.all([productFacts(), listArticles()]);
  const freeCredits = PLANS.free.creditsPerPeriod;
  const freeInWords = NUMBER_WORDS[freeCredits] ?? String(freeCredits);
  return (
    <div className="landing">
      <PreloadFonts names={["newsreader-display", "newsreader-display-italic"]} />
      <PageThings product={facts} path="/" />
      <section
        className={cn(
          "site-width grid",
          "grid-cols-[minmax(0,1fr)_330px] gap-10 items-end pt-[clamp(36px,5.2vw,76px)]",
          "pb-[clamp(40px,4.6vw,66px)] max-lg:grid-cols-[1fr] max-lg:gap-7",
          "[&_em]:text-accent-ink [&_em]:tracking-[-0.04em]",
        )}
      >
        <h1 className="display text-d1">
          A few keywords&nbsp;in, a&nbsp;<em>wall of pins</em>&nbsp;up
        </h1>
        <div className="grid max-w-[520px] gap-6 pb-3">
          <p className="lead">
            {facts.name} writes and draws pins from your keywords, waits for you to choose, and publishes each one to
            Pinterest once, at the hour you set.
          </p>
          <div className="flex flex-wrap gap-2">
            <LinkButton href="/register" variant="primary" size="lg">
              Start free
            </LinkButton>
            <LinkButton href="/pricing" variant="quiet" size="lg">
              See pricing
            </LinkButton>
          </div>
        </div>
      </section>
      <HeroWall />
      <Stages />
      <Pitches />
      <ScreenStories />
      <ReceiptBand name={facts.name} />
      <PlanTeaser />
      <PlainNumbers />
      <ArticleNotes title="Notes for people who pin" articles={articles.slice(0, NOTES)} />
      <ClosingWall
        headline={`${freeInWords} credits are waiting`}
        words={`Every month, on the free plan. Enough for ${freeInWords.toLowerCase()} standard pins, to see how it feels.`}
      />
    </div>
  );
}
