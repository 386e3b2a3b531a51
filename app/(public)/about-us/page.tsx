import Link from "next/link";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { Board, Pin } from "#components/shared/pin.tsx";
import { Prose, WideHead } from "#components/site/page-parts.tsx";
import { PosterImage } from "#components/site/poster-boards.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/about-us");

const PINS = ["meadow", "kitchen", "night", "pots", "lisbon", "quilt", "herbs"] as const;

export default async function AboutPage() {
  const product = await productFacts();
  const { name } = product;
  return (
    <>
      <PreloadFonts names={["newsreader-display"]} />
      <PageJsonLd product={product} path="/about-us" />
      <WideHead title="Our Story">
        {name} started with a chore: the hours between having an idea for Pinterest and getting it published.
      </WideHead>
      <Board
        isBleeding
        className={cn(
          "flex gap-[clamp(18px,2.6vw,40px)] justify-center h-[clamp(250px,27vw,380px)] pt-10",
          "[&>span]:flex-none [&>span]:w-[clamp(120px,13vw,190px)] [&>:nth-child(even)]:[translate:0_34px]",
        )}
        aria-hidden="true"
      >
        {PINS.map((poster) => (
          <span key={poster}>
            <Pin state="published">
              <PosterImage name={poster} alt="" widthPx={190} isEager />
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
          <h2 className="title-2">All the busywork that goes into a pin</h2>
          <p>
            If you bake, build, sew, garden, or write, you have plenty to show. What you rarely have is an afternoon for
            titles, descriptions, and vertical images, or the time to be at your desk when a pin should go out.
            Pinterest is patient: people keep finding a good pin for months. But it rewards consistency, and that’s the
            first thing to go in a busy week.
          </p>
          <p>
            So we built the part you can hand off. You bring the keywords and the pages they should lead to. {name}{" "}
            writes, designs, waits, and publishes. It doesn’t decide: every pin is a draft until you’ve reviewed and
            selected it.
          </p>
          <h2 className="title-2">What we stand for</h2>
          <p>
            <b>Once means once.</b> A pin that appears twice looks careless, and one that silently never shows up is
            worse. Most of our work went into what happens when Pinterest doesn’t respond. {name} records what it’s
            about to do, checks before it tries again, and keeps a receipt that you can read.
          </p>
          <p>
            <b>You pay for finished pins.</b> If a pin fails, its credits are returned automatically. No form to fill
            out.
          </p>
          <p>
            <b>Pinterest’s data stays on Pinterest.</b> We read your boards and numbers when you view them. Board data
            isn’t stored, and pin metrics are deleted within a day. You can{" "}
            <Link className="link" href="/privacy-policy">
              read about
            </Link>
            , download, and delete everything we do store.
          </p>
          <p>
            <b>AI is labeled as AI.</b> Images generated with {name} carry the AI label. We’d rather people find you
            because you’re useful than mistake your images for something else.
          </p>
          <p>
            <b>No promises about reach.</b> Only Pinterest knows who will see what. We only make promises we can keep,
            and we publish{" "}
            <Link className="link" href="/status">
              our measured uptime
            </Link>
            .
          </p>
          <h2 className="title-2">Our logo</h2>
          <p>
            It’s a fir tree with a thumbtack’s point for a trunk. It’s evergreen, and it holds fast, which is what we
            want from a good pin and a good tool.
          </p>
          <div className="flex flex-wrap gap-y-4 gap-x-5.5 items-center mt-7">
            <LinkButton href="/register" variant="primary" size="lg">
              Get Started Free
            </LinkButton>
            <p className="text-sm text-ink-3">
              Or{" "}
              <Link className="link" href="/contact-us">
                contact us
              </Link>
              . We like questions.
            </p>
          </div>
        </Prose>
      </div>
    </>
  );
}
