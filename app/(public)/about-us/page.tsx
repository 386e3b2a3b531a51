import Link from "next/link";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { Board, Pin } from "#components/shared/pin.tsx";
import { Prose, WideHead } from "#components/site/page-parts.tsx";
import { PageThings } from "#components/site/structured-data.tsx";
import { WallPicture } from "#components/site/walls.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/about-us");

const WALL = ["meadow", "kitchen", "night", "pots", "lisbon", "quilt", "herbs"] as const;

/** R-ABOUT-01 */
export default async function AboutPage() {
  const product = await productFacts();
  const { name } = product;
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <PageThings product={product} path="/about-us" />
      <WideHead title="Our Story">
        {name} began with a chore: the hours between having something to say on Pinterest and having said it.
      </WideHead>
      <Board
        isBleeding
        className={cn(
          "flex gap-[clamp(18px,2.6vw,40px)] justify-center h-[clamp(250px,27vw,380px)] pt-10",
          "[&>span]:flex-none [&>span]:w-[clamp(120px,13vw,190px)] [&>:nth-child(even)]:[translate:0_34px]",
        )}
        aria-hidden="true"
      >
        {WALL.map((poster) => (
          <span key={poster}>
            <Pin state="published">
              <WallPicture name={poster} alt="" widthPx={190} isEager />
            </Pin>
          </span>
        ))}
      </Board>
      <div
        className={cn(
          "grid justify-items-center pt-[clamp(44px,6vw,88px)] pb-[clamp(56px,7vw,104px)] w-full",
          "max-w-[calc(var(--site-max)_+_2_*_var(--gutter))] mx-auto px-(--gutter)",
        )}
      >
        <Prose>
          <h2 className="title-2">The work around the work</h2>
          <p>
            People who bake, build, sew, plant or write have plenty to show. What they rarely have is an afternoon for
            titles, descriptions, upright pictures, and being at the desk when a pin should go out. Pinterest is
            patient, a good pin is found for months, but it asks for steadiness, and steadiness is what a busy week
            takes first.
          </p>
          <p>
            So we built the part that can be handed over. You bring the subjects, as keywords, and the pages they should
            lead to. {name} writes, draws, waits, and publishes. It does not decide: every pin is a draft until you have
            looked at it and chosen it.
          </p>
          <h2 className="title-2">What we hold on to</h2>
          <p>
            <b>Once means once.</b> A pin that appears twice looks careless, and one that silently never appeared is
            worse. Most of our work went into the moment in which Pinterest does not answer. {name} writes down what it
            is about to do, looks before it tries again, and leaves a receipt that you can read.
          </p>
          <p>
            <b>You pay for what gets finished.</b> A pin that fails gives its credits back, by itself, without a form.
          </p>
          <p>
            <b>What is Pinterest’s stays there.</b> Your boards and counts are read when you look at them and not kept.
            What we do store, you can{" "}
            <Link className="link" href="/privacy-policy">
              read about
            </Link>
            , download, and delete.
          </p>
          <p>
            <b>AI says that it is AI.</b> Pins made here carry the mark. We would rather you were found for being useful
            than for being mistaken for something else.
          </p>
          <p>
            <b>No promises about reach.</b> Nobody but Pinterest knows what it will show to whom. We promise what we can
            keep, and publish{" "}
            <Link className="link" href="/status">
              what we measured
            </Link>
            .
          </p>
          <h2 className="title-2">The mark</h2>
          <p>
            A fir whose trunk is the needle of a tack: something that stays green, and something that holds. It is how
            we think of a good pin, and of a good tool.
          </p>
          <div className="flex flex-wrap gap-y-4 gap-x-5.5 items-center mt-7">
            <LinkButton href="/register" variant="primary" size="lg">
              Get Started Free
            </LinkButton>
            <p className="text-sm text-ink-3">
              Or{" "}
              <Link className="link" href="/contact-us">
                write to us
              </Link>
              ; we like questions.
            </p>
          </div>
        </Prose>
      </div>
    </>
  );
}
