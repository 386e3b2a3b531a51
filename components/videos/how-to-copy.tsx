const STEPS = [
  "Open a profile, a search, a hashtag or a video on TikTok, and scroll until the videos you want have been in view.",
  "Save the page (Ctrl+S, or ⌘S on a Mac) and drop the .html file here. Or open the browser's developer tools, right-click the first line, <html>, copy its outer HTML and paste it.",
  "Press “Extract Videos”. The list is yours to filter, count, export and save.",
];

/** How a page's source comes here; shown until one has been read. */
export function HowToCopy() {
  return (
    <section className="video-how" aria-labelledby="video-how">
      <h2 id="video-how" className="title-3">
        Where the page's source comes from
      </h2>
      <ol>
        {STEPS.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  );
}
