import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { ArticleNotes } from "#components/site/blog/articles-list.tsx";
import { KeyNumbers, ProductScreens, PublishOnceBand, Stages } from "#components/site/landing.tsx";
import { Pitches } from "#components/site/pitches.tsx";
import { PlanTeaser } from "#components/site/plan-teaser.tsx";
import { ClosingBoard, HeroBoard } from "#components/site/poster-boards.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { PLANS } from "#lib/features/billing/plans.ts";
import { listArticles } from "#lib/server/articles.ts";
import { productFacts } from "../facts.ts";
import { pageMetadata } from "../metadata.ts";

const NUMBER_NAMES = ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];
const NOTES = 3;

export const generateMetadata = () => pageMetadata("/");

export default async function LandingPage() {
  const [facts, articles] = await Promise.all([productFacts(), listArticles()]);
  const freeCredits = PLANS.free.creditsPerPeriod;
  const freeInWords = NUMBER_NAMES[freeCredits] ?? String(freeCredits);
  return (
    <div className="landing">
      <PreloadFonts names={["newsreader-display", "newsreader-display-italic"]} />
      <PageJsonLd product={facts} path="/" />
      <section
        className={cn(
          "site-width grid",
          "grid-cols-[minmax(0,1fr)_330px] gap-10 items-end pt-[clamp(36px,5.2vw,76px)]",
          "pb-[clamp(40px,4.6vw,66px)] max-lg:grid-cols-[1fr] max-lg:gap-7",
          "[&_em]:text-accent-ink [&_em]:tracking-[-0.04em]",
        )}
      >
        <h1 className="display text-d1">
          Turn a&nbsp;few keywords into <em>weeks of&nbsp;pins</em>
        </h1>
        <div className="grid max-w-[520px] gap-6 pb-3">
          <p className="lead">
            {facts.name} writes and designs pins from your keywords. You pick the ones you like, and it publishes each
            one to Pinterest exactly once, at the time you set.
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
      <HeroBoard />
      <Stages />
      <Pitches />
      <ProductScreens />
      <PublishOnceBand name={facts.name} />
      <PlanTeaser />
      <KeyNumbers />
      <ArticleNotes title="Notes for people who pin" articles={articles.slice(0, NOTES)} />
      <ClosingBoard
        headline={`${freeInWords} free credits every month`}
        text={`Enough to try ${freeInWords.toLowerCase()} standard pins. No credit card required.`}
      />
    </div>
  );
}
