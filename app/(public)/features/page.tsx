import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { MainFeatures } from "#components/site/main-features.tsx";
import { WideHead } from "#components/site/page-parts.tsx";
import { FeatureColumns } from "#components/site/plan-teaser.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/features");

const SECONDARY = [
  {
    title: "Pinterest account management",
    text: "Connect several accounts and see their numbers live. If one needs to be reconnected, we’ll let you know and hold its scheduled pins.",
  },
  {
    title: "Generated posts library",
    text: "Every pin you’ve created, by account and status, with search and four sort orders. Edit, schedule, retry, or delete pins right there.",
  },
  {
    title: "AI optimization",
    text: "Titles and descriptions that fit Pinterest’s limits and include the words people search for, in your keyword’s language or one you choose, plus alt text for screen readers.",
  },
  {
    title: "Custom settings",
    text: "Choose the quality of each batch, the interval between pins, your time zone, and your theme. You can also sign out other devices.",
  },
] as const;

const STEPS = [
  {
    title: "You choose",
    text: "Every pin is a draft until you select it. Selected pins are numbered in the order they’ll be published.",
  },
  { title: "You see the times", text: "Set an interval, and see when each pin will be published before you confirm." },
  {
    title: "It’s published once",
    text: "Every attempt is recorded first. If Pinterest doesn’t respond, we check your board before trying again.",
  },
  {
    title: "You keep the receipt",
    text: "When it was sent, how Pinterest responded, and a link to the published pin.",
  },
] as const;

export default async function FeaturesPage() {
  const product = await productFacts();
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <PageJsonLd product={product} path="/features" />
      <WideHead title="From a keyword to a pin on your board">
        {product.name} does the writing, designing, and waiting. You decide what gets published, where, and when.
      </WideHead>
      <div className="site-width">
        <MainFeatures product={product} />
      </div>
      <section className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="publishing">
        <h2 id="publishing" className="display text-d3">
          How a pin gets to Pinterest
        </h2>
        <FeatureColumns entries={STEPS} isNumbered />
      </section>
      <section className={cn("site-width", "pt-[clamp(72px,10vw,148px)]")} aria-labelledby="besides">
        <h2 id="besides" className="display text-d3">
          Everything else you need
        </h2>
        <FeatureColumns entries={SECONDARY} />
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
