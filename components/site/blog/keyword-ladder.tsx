const STEPS = [
  { keyword: "bread", words: "A word. Everybody's, so nobody's." },
  { keyword: "sourdough bread", words: "A subject. Good for the name of a board." },
  { keyword: "sourdough bread for beginners", words: "A person. Good for a board's section." },
  { keyword: "sourdough bread without a mixer", words: "A problem. Good for a pin." },
  { keyword: "sourdough timetable for a working day", words: "A moment. Good for a pin nobody else has made." },
] as const;

/** A keyword on its way from a word to a moment, one rung at a time. */
export function KeywordLadder() {
  return (
    <ol className="keyword-ladder">
      {STEPS.map(({ keyword, words }) => (
        <li key={keyword}>
          <b>{keyword}</b>
          <span>{words}</span>
        </li>
      ))}
    </ol>
  );
}
