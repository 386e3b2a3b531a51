import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { MainFeatures } from "#components/site/main-features.tsx";
import { WideHead } from "#components/site/page-parts.tsx";
import { Quarters } from "#components/site/plan-teaser.tsx";
import { PageThings } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/features");

/** R-FEAT-02, A-84 */
const SECONDARY = [
  {
    title: "Pinterest account management",
    words:
      "Connect several accounts, each with its counts read live. One that Pinterest wants confirmed again says so, and its scheduled pins wait for it.",
  },
  {
    title: "Generated posts library",
    words:
      "Everything you ever made, by account and state, each counted, in four orders, with a search over titles and keywords. Edit, schedule, retry or delete it there.",
  },
  {
    title: "AI optimization",
    words:
      "Titles and descriptions within Pinterest’s limits, with the words people search for worked in, in the language of the keyword, and a text for screen readers.",
  },
  {
    title: "Custom settings",
    words:
      "Quality for each batch, the interval between pins, your time zone, light or dark, and the logins that may stay open.",
  },
] as const;

const STEPS = [
  {
    title: "You choose",
    words: "Every pin is a draft until you pick it. The number it gets is its place in the order.",
  },
  { title: "You see the hours", words: "Set an interval, and each pin shows when it will go out, before you agree." },
  {
    title: "It is sent once",
    words: "The intent is written down first. If Pinterest does not answer, your board is searched before another try.",
  },
  { title: "You keep the receipt", words: "When it was sent, what came back, and a link to the pin at Pinterest." },
] as const;

export default async function FeaturesPage() {
  const product = await productFacts();
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <PageThings product={product} path="/features" />
      <WideHead title="From a keyword to a pin on your board">
        {product.name} does the writing, drawing and waiting. What gets published, where and when stays your decision.
      </WideHead>
      <div className="site-width">
        <MainFeatures product={product} />
      </div>
      <section className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="publishing">
        <h2 id="publishing" className="display text-d3">
          How a pin gets to Pinterest
        </h2>
        <Quarters entries={STEPS} isNumbered />
      </section>
      <section className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="besides">
        <h2 id="besides" className="display text-d3">
          And what belongs to it
        </h2>
        <Quarters entries={SECONDARY} />
      </section>
      <div
        className={cn(
          "site-width flex flex-wrap",
          "gap-y-6 gap-x-10 items-center justify-between mt-[clamp(72px,10vw,132px)] py-10",
        )}
      >
        <p className="title-2">Try it with a few keywords.</p>
        <span className="flex flex-wrap gap-3">
          <LinkButton href="/register" variant="primary" size="lg">
            Start free
          </LinkButton>
          <LinkButton href="/pricing" size="lg">
            See pricing
          </LinkButton>
        </span>
      </div>
    </>
  );
}
