import { ScreenPicture } from "#components/site/screen-picture.tsx";

const STORIES = [
  {
    name: "posts",
    title: "Nothing goes up unseen",
    words:
      "Every pin is a draft until you choose it. The number you give it is its place in the order, and the bar shows the hour of each one before you agree.",
    alt: "Generated Posts: a wall of drafts, five of them chosen and numbered, and a bar that schedules them an hour apart.",
  },
  {
    name: "creator",
    title: "Watch the whole batch grow",
    words:
      "Twelve keywords, twelve drafts, each at its own stage. Close the page if you like: the work goes on, and the panel is back when you are.",
    alt: "The creator at work: some pins of a batch of twelve are finished, the others show their titles, descriptions and pictures coming up.",
  },
] as const;

const SIZES = "(min-width: 1440px) 820px, (min-width: 981px) 62vw, 92vw";

/** Two real screens of the product, with the sentence that matters about each. */
export function ScreenStories() {
  return (
    <section className="site-width site-section screen-stories" aria-label="The product at work">
      {STORIES.map(({ name, title, words, alt }) => (
        <div key={name} className="screen-story">
          <div>
            <h2 className="display text-d3">{title}</h2>
            <p className="mt-5 max-w-[40ch] text-pretty text-ink-2">{words}</p>
          </div>
          <ScreenPicture name={name} alt={alt} sizes={SIZES} />
        </div>
      ))}
    </section>
  );
}
